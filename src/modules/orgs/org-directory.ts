import { Injectable } from '@nestjs/common';
import type { PlanId } from '../plans/plan.js';
import { OrgAccessDenied } from '../auth/access.errors.js';
import { type AuditedAct, AuditLogService } from '../audit/audit-log.service.js';
import type { Call } from '../auth/caller.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

/** What modules whose resources belong to organizations ask about them and record in their audit logs. */
@Injectable()
export class OrgDirectory {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * Locks the organization until the running transaction ends and returns its plan. What is counted under the lock
   * cannot change until then, however many callers count at once.
   *
   * @throws {OrgAccessDenied} `org_access_denied`: it was deleted after the call was admitted.
   */
  async lockAndGetPlan({ principal: { credential } }: Call, orgId: string): Promise<PlanId> {
    const organization = await this.organizations.lock(orgId);
    if (organization === undefined)
      throw new OrgAccessDenied(credential.type === 'api_key' ? credential.kind : undefined, orgId);
    return organization.plan;
  }

  /** The current slug; undefined for a deleted organization. */
  async slugOf(orgId: string): Promise<string | undefined> {
    const organization = await this.organizations.find(orgId);
    return organization?.deletedAt === null ? organization.slug : undefined;
  }

  /**
   * The current plan, without a lock; undefined for a deleted organization.
   */
  async planOf(orgId: string): Promise<PlanId | undefined> {
    const organization = await this.organizations.find(orgId);
    return organization === undefined || organization.deletedAt !== null ? undefined : organization.plan;
  }

  /** {@link planOf} for several organizations; deleted ones are left out. */
  plansOf(orgIds: readonly string[]): Promise<ReadonlyMap<string, PlanId>> {
    return this.organizations.plansOf(orgIds);
  }

  /**
   * Writes to the organization's audit log with the running transaction. `by` is undefined when the service itself or
   * an operator acted.
   */
  record(act: AuditedAct, by: Call | undefined): Promise<void> {
    return this.audit.record(act, by ?? {});
  }
}
