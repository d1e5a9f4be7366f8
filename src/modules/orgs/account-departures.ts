import { Injectable } from '@nestjs/common';
import { type AuditActor, AuditLogService } from '../audit/audit-log.service.js';
import type { Call } from '../auth/caller.js';
import { PersonDirectory } from '../auth/person-directory.js';
import { OpenInvitations } from './members/open-invitations.js';
import { OrganizationRemoval } from './organizations/organization-removal.js';
import { OnlyOwner } from './orgs.errors.js';
import type { Organization } from './persistence/organization.entity.js';
import { MembershipsStore } from './persistence/memberships.store.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

/** The organizations of a person who leaves all of them, which are locked. */
export interface Departure {
  readonly userId: string;
  /** Organizations that have no other member, the personal one among them. They are deleted. */
  readonly removed: readonly Organization[];
  /** Organizations that go on without the person. */
  readonly left: readonly Organization[];
}

/** Takes people out of all of their organizations, because their accounts are deleted. */
@Injectable()
export class AccountDepartures {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly invitations: OpenInvitations,
    private readonly removal: OrganizationRemoval,
    private readonly people: PersonDirectory,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * Locks all organizations of the person until the running transaction ends, in the order of their ids, and no row of
   * a person.
   *
   * @throws {OnlyOwner} `last_owner`: other members of an organization would be left without an owner.
   */
  async prepare(userId: string): Promise<Departure> {
    const ids = (await this.memberships.listCurrent(userId)).map(({ id }) => id).sort();
    const [removed, left, ownerless]: [Organization[], Organization[], Organization[]] = [[], [], []];
    for (const id of ids) {
      const organization = await this.organizations.lock(id);
      const membership = organization && (await this.memberships.find(id, userId));
      if (organization === undefined || membership === undefined) continue;
      const isAlone = (await this.memberships.userIds(id)).length === 1;
      const isOnlyOwner = membership.role === 'owner' && (await this.memberships.countOwners(id)) === 1;
      if (isAlone) removed.push(organization);
      else if (isOnlyOwner) ownerless.push(organization);
      else left.push(organization);
    }
    if (ownerless.length > 0) throw new OnlyOwner(ownerless);
    return { userId, removed, left };
  }

  /** Deletes and leaves what {@link prepare} has found, in the same transaction. */
  async complete({ userId, removed, left }: Departure, by: Call | AuditActor): Promise<void> {
    for (const { id: orgId } of left) {
      await this.memberships.remove(orgId, userId);
      await this.invitations.revokeSentBy(orgId, userId);
      const target = { type: 'user', id: userId };
      await this.audit.record({ orgId, action: 'member.removed', target, details: { reason: 'account_deleted' } }, by);
    }
    for (const { id: orgId, personalOf } of removed) {
      await this.removal.remove(orgId);
      // The slug and the name of a personal organization are those of the person.
      if (personalOf !== null) await this.organizations.anonymize(orgId);
      const target = { type: 'organization', id: orgId };
      await this.audit.record({ orgId, action: 'org.deleted', target, details: { reason: 'account_deleted' } }, by);
    }
    await this.people.raiseEpoch(userId);
  }
}
