import { Injectable } from '@nestjs/common';
import type { PlanId } from '../plans/plan.js';
import { OrgAccessDenied } from '../auth/access.errors.js';
import { type AuditedAct, AuditLogService } from '../audit/audit-log.service.js';
import type { Call } from '../auth/caller.js';
import { MembershipsStore } from './persistence/memberships.store.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

/** Gives other modules access to the organizations that own their resources, and to their audit logs. */
@Injectable()
export class OrgDirectory {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
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

  /**
   * Locks the organizations against deletion until the running transaction ends, in the order of their ids. Deleted
   * ones are left out.
   */
  lockExisting(orgIds: readonly string[]): Promise<{ id: string; personal: boolean }[]> {
    return this.organizations.lockExisting(orgIds);
  }

  /** Returns those of the ids that are organizations, deleted ones included. */
  knownOf(orgIds: readonly string[]): Promise<string[]> {
    return this.organizations.knownOf(orgIds);
  }

  /** Returns the last id and the size of a page of organizations in the order of ids, deleted ones included. */
  endOfPage(after: string, size: number): Promise<{ last: string | undefined; count: number }> {
    return this.organizations.endOfPage(after, size);
  }

  /** Returns the id of the organization with this id or slug, or undefined. */
  idOf(idOrSlug: string): Promise<string | undefined> {
    return this.organizations.findId(idOrSlug);
  }

  /** Returns the name, or undefined for a deleted organization. */
  async nameOf(orgId: string): Promise<string | undefined> {
    const organization = await this.organizations.find(orgId);
    return organization?.deletedAt === null ? organization.name : undefined;
  }

  /** Returns when the organization was created, or undefined for an unknown id. */
  async createdAt(orgId: string): Promise<Date | undefined> {
    return (await this.organizations.find(orgId))?.createdAt;
  }

  /** Returns the ids of the current owners, in their order. */
  ownerIdsOf(orgId: string): Promise<string[]> {
    return this.memberships.ownerIds(orgId);
  }

  /** Returns the ids of all members, in their order. */
  memberIdsOf(orgId: string): Promise<string[]> {
    return this.memberships.userIds(orgId);
  }

  /** Returns the current slug, or undefined for a deleted organization. */
  async slugOf(orgId: string): Promise<string | undefined> {
    const organization = await this.organizations.find(orgId);
    return organization?.deletedAt === null ? organization.slug : undefined;
  }

  /** Returns the current plan without a lock, or undefined for a deleted organization. */
  async planOf(orgId: string): Promise<PlanId | undefined> {
    const organization = await this.organizations.find(orgId);
    return organization === undefined || organization.deletedAt !== null ? undefined : organization.plan;
  }

  /** {@link planOf} for several organizations; deleted ones are left out. */
  plansOf(orgIds: readonly string[]): Promise<ReadonlyMap<string, PlanId>> {
    return this.organizations.plansOf(orgIds);
  }

  /**
   * Writes to the organization's audit log in the running transaction. `by` is undefined when the service itself or
   * an operator acted.
   */
  record(act: AuditedAct, by: Call | undefined): Promise<void> {
    return this.audit.record(act, by ?? {});
  }
}
