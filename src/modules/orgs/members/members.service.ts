import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { isAtLeast, type OrgRole } from '../../auth/org-role.js';
import { InvitationsStore } from '../persistence/invitations.store.js';
import type { Membership } from '../persistence/membership.entity.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { OrgOfPath } from '../organizations/org-of-path.js';
import { LastOwner, MemberNotFound, OrganizationIsPersonal, OrganizationNotFound } from '../orgs.errors.js';
import { requireRank } from './rank.js';

/** A member with the username that the person has now. */
export interface Member {
  readonly userId: string;
  readonly username: string;
  readonly role: OrgRole;
  readonly joinedAt: Date;
}

/** Who belongs to an organization, and as what. Nobody gives or takes a role above their own. */
@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly invitations: InvitationsStore,
    private readonly paths: OrgOfPath,
    private readonly people: PersonDirectory,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** @throws {OrganizationNotFound} `organization_not_found` */
  async list(org: string, page: PageRequest, call: Call): Promise<Page<Member>> {
    const { items, next } = await this.memberships.page(this.paths.require(call, org, 'orgs:read').id, page);
    const usernames = await this.people.usernamesOf(items.map(({ userId }) => userId));
    return { items: items.map((membership) => memberOf(membership, usernames)), next };
  }

  /**
   * @throws {LastOwner} `last_owner`
   * @throws {RoleTooLow} `insufficient_scopes`
   * @throws {MemberNotFound} `member_not_found`
   * @throws {OrganizationIsPersonal} `personal_organization`
   */
  async setRole(target: MemberOfPath, role: OrgRole, call: Call): Promise<Member> {
    const { id: orgId } = this.paths.require(call, target.org, 'orgs:members');
    return this.database.transaction(async () => {
      const { member, actorRole } = await this.locked(orgId, target.userId, call);
      const usernames = await this.people.usernamesOf([member.userId]);
      if (member.role === role) return memberOf(member, usernames);
      requireRank(actorRole, member.role);
      requireRank(actorRole, role);
      if (member.role === 'owner') await this.requireAnotherOwner(orgId);

      await this.memberships.setRole(orgId, member.userId, role);
      if (!isAtLeast(role, member.role)) await this.invitations.revokeBy(orgId, member.userId, this.clock.now());
      await this.changed(
        orgId,
        member.userId,
        { action: 'member.role_changed', details: { before: member.role, after: role } },
        call,
      );
      return memberOf(member, usernames, role);
    });
  }

  /**
   * Takes a member out. Everybody may take themselves out.
   *
   * @throws {LastOwner} `last_owner`
   * @throws {RoleTooLow} `insufficient_scopes`
   * @throws {MemberNotFound} `member_not_found`
   * @throws {OrganizationIsPersonal} `personal_organization`
   */
  async remove(target: MemberOfPath, call: Call): Promise<void> {
    const { id: orgId } = this.paths.find(call, target.org);
    const isSelf = target.userId === call.principal.user.id;
    if (!isSelf) call.principal.require('orgs:members', orgId);
    await this.database.transaction(async () => {
      const { member, actorRole } = await this.locked(orgId, target.userId, call);
      if (!isSelf) requireRank(actorRole, member.role);
      if (member.role === 'owner') await this.requireAnotherOwner(orgId);

      await this.memberships.remove(orgId, member.userId);
      await this.invitations.revokeBy(orgId, member.userId, this.clock.now());
      await this.changed(orgId, member.userId, { action: 'member.removed', details: { role: member.role } }, call);
    });
  }

  /** The member, and what the caller is by now, with the organization locked. */
  private async locked(orgId: string, userId: string, call: Call): Promise<{ member: Membership; actorRole: OrgRole }> {
    const organization = await this.organizations.lock(orgId);
    const actor = organization && (await this.memberships.find(orgId, call.principal.user.id));
    if (organization === undefined || actor === undefined) throw new OrganizationNotFound();
    const member = await this.memberships.find(orgId, userId);
    if (member === undefined) throw new MemberNotFound();
    if (organization.personalOf !== null) throw new OrganizationIsPersonal();
    return { member, actorRole: actor.role };
  }

  private async requireAnotherOwner(orgId: string): Promise<void> {
    if ((await this.memberships.countOwners(orgId)) < 2) throw new LastOwner();
  }

  private async changed(
    orgId: string,
    userId: string,
    what: { action: `member.${string}`; details: Record<string, unknown> },
    call: Call,
  ): Promise<void> {
    await this.people.raiseEpoch(userId);
    await this.audit.record({ orgId, target: { type: 'user', id: userId }, ...what }, call);
  }
}

export interface MemberOfPath {
  /** Id or slug. */
  readonly org: string;
  readonly userId: string;
}

const memberOf = (
  { userId, role, createdAt }: Membership,
  usernames: ReadonlyMap<string, string>,
  newRole = role,
): Member => ({ userId, username: usernames.get(userId) ?? '', role: newRole, joinedAt: createdAt });
