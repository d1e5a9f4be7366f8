import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { isAtLeast, type OrgRole } from '../../auth/org-role.js';
import type { Membership } from '../persistence/membership.entity.js';
import { MembershipsStore } from '../persistence/memberships.store.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { OrgOfPath } from '../org-of-path.js';
import { LastOwner, MemberNotFound, OrganizationIsPersonal, OrganizationNotFound } from '../orgs.errors.js';
import { OpenInvitations } from './open-invitations.js';
import { requireRank } from './rank.js';

/** A member with the current username of the user. */
export interface Member {
  readonly userId: string;
  readonly username: string;
  readonly role: OrgRole;
  readonly joinedAt: Date;
}

/** Manages the members of organizations. A caller cannot grant or revoke a role above its own. */
@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly invitations: OpenInvitations,
    private readonly paths: OrgOfPath,
    private readonly people: PersonDirectory,
    private readonly audit: AuditLogService,
  ) {}

  /** @throws {OrganizationNotFound} `organization_not_found` */
  async list(orgIdOrSlug: string, page: PageRequest, call: Call): Promise<Page<Member>> {
    const { items, next } = await this.memberships.page(this.paths.require(call, orgIdOrSlug, 'orgs:read').id, page);
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
    const { id: orgId } = this.paths.require(call, target.orgIdOrSlug, 'orgs:members');
    return this.database.transaction(async () => {
      const { member, actorRole } = await this.lockAndGet(orgId, target.userId, call);
      const usernames = await this.people.usernamesOf([member.userId]);
      if (member.role === role) return memberOf(member, usernames);
      requireRank(actorRole, member.role);
      requireRank(actorRole, role);
      if (member.role === 'owner') await this.requireAnotherOwner(orgId);

      await this.memberships.setRole(orgId, member.userId, role);
      if (!isAtLeast(role, member.role)) await this.invitations.revokeSentBy(orgId, member.userId);
      await this.recordChange(
        orgId,
        member.userId,
        { action: 'member.role_changed', details: { before: member.role, after: role } },
        call,
      );
      return memberOf(member, usernames, role);
    });
  }

  /**
   * Removes a member. Members can remove themselves.
   *
   * @throws {LastOwner} `last_owner`
   * @throws {RoleTooLow} `insufficient_scopes`
   * @throws {MemberNotFound} `member_not_found`
   * @throws {OrganizationIsPersonal} `personal_organization`
   */
  async remove(target: MemberOfPath, call: Call): Promise<void> {
    const { id: orgId } = this.paths.find(call, target.orgIdOrSlug);
    const isSelf = target.userId === call.principal.user.id;
    if (!isSelf) call.principal.require('orgs:members', orgId);
    await this.database.transaction(async () => {
      const { member, actorRole } = await this.lockAndGet(orgId, target.userId, call);
      if (!isSelf) requireRank(actorRole, member.role);
      if (member.role === 'owner') await this.requireAnotherOwner(orgId);

      await this.memberships.remove(orgId, member.userId);
      await this.invitations.revokeSentBy(orgId, member.userId);
      await this.recordChange(orgId, member.userId, { action: 'member.removed', details: { role: member.role } }, call);
    });
  }

  /** Returns the member and the current role of the caller, with the organization locked. */
  private async lockAndGet(
    orgId: string,
    userId: string,
    call: Call,
  ): Promise<{ member: Membership; actorRole: OrgRole }> {
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

  private async recordChange(
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
  readonly orgIdOrSlug: string;
  readonly userId: string;
}

const memberOf = (
  { userId, role, createdAt }: Membership,
  usernames: ReadonlyMap<string, string>,
  newRole = role,
): Member => ({ userId, username: usernames.get(userId) ?? '', role: newRole, joinedAt: createdAt });
