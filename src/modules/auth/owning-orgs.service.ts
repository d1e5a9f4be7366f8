import { Injectable } from '@nestjs/common';
import type { PlanId } from '../plans/plan.js';
import { OrgAccessDenied } from './access.errors.js';
import { type AuditedAct, AuditLogService } from './audit/audit-log.service.js';
import type { Call } from './caller.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

/** What the owner of a resource, an organization, is asked and told by the module that keeps the resource. */
@Injectable()
export class OwningOrgs {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * Locks the organization until the running transaction ends, and tells the plan that it has at this moment: what is
   * counted under the lock stays so until then, however many count at once.
   *
   * @throws {OrgAccessDenied} `org_access_denied`: it was deleted since the call was let in.
   */
  async lock({ principal: { credential } }: Call, orgId: string): Promise<PlanId> {
    const organization = await this.organizations.lock(orgId);
    if (organization === undefined)
      throw new OrgAccessDenied(credential.type === 'api_key' ? credential.kind : undefined, orgId);
    return organization.plan;
  }

  /** What paths and addresses name it by now; undefined where it was deleted. */
  async slugOf(orgId: string): Promise<string | undefined> {
    const organization = await this.organizations.find(orgId);
    return organization?.deletedAt === null ? organization.slug : undefined;
  }

  /**
   * The plan that the organization has at this moment; undefined for one that was deleted. For work that no caller
   * waits for.
   */
  async planOf(orgId: string): Promise<PlanId | undefined> {
    const organization = await this.organizations.find(orgId);
    return organization === undefined || organization.deletedAt !== null ? undefined : organization.plan;
  }

  /** As {@link planOf}, of several at once; those that were deleted are left out. */
  plansOf(orgIds: readonly string[]): Promise<ReadonlyMap<string, PlanId>> {
    return this.organizations.plansOf(orgIds);
  }

  /**
   * Writes to the organization's audit log, with the running transaction. By nobody: the service itself did it, or an
   * operator.
   */
  record(act: AuditedAct, by: Call | undefined): Promise<void> {
    return this.audit.record(act, by ?? {});
  }
}
