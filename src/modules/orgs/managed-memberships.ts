import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import { type AuditActor, AuditLogService } from '../audit/audit-log.service.js';
import type { OrgRole } from '../auth/org-role.js';
import { PersonDirectory } from '../auth/person-directory.js';
import { OpenInvitations } from './members/open-invitations.js';
import { MembershipsStore } from './persistence/memberships.store.js';
import { OrganizationsStore } from './persistence/organizations.store.js';

/** A role that something outside may give: only an owner makes owners. */
export type ManagedRole = Exclude<OrgRole, 'owner'>;

interface ManagedMember {
  readonly orgId: string;
  readonly userId: string;
}

/** Memberships that the identity provider of an organization decides on. Owners are left to the owners. */
@Injectable()
export class ManagedMemberships {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly memberships: MembershipsStore,
    private readonly invitations: OpenInvitations,
    private readonly people: PersonDirectory,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** Returns the role of a member, or undefined. */
  async roleOf({ orgId, userId }: ManagedMember): Promise<OrgRole | undefined> {
    return (await this.memberships.find(orgId, userId))?.role;
  }

  /**
   * Makes the person a member with the role, in the running transaction, or changes the role of a member who is no
   * owner. `details` go to the audit log.
   */
  async set(
    { orgId, userId }: ManagedMember,
    role: ManagedRole,
    { by, details }: { readonly by: AuditActor; readonly details: Readonly<Record<string, string>> },
  ): Promise<void> {
    if ((await this.organizations.lock(orgId)) === undefined) return;
    const before = await this.memberships.find(orgId, userId);
    if (before?.role === role || before?.role === 'owner') return;
    const target = { type: 'user', id: userId };
    if (before === undefined) {
      await this.memberships.insert({ orgId, userId, role, createdAt: this.clock.now() });
      await this.audit.record({ orgId, action: 'member.joined', target, details: { role, ...details } }, by);
    } else {
      await this.memberships.setRole(orgId, userId, role);
      await this.audit.record(
        { orgId, action: 'member.role_changed', target, details: { before: before.role, after: role, ...details } },
        by,
      );
    }
    await this.people.raiseEpoch(userId);
  }

  /** Removes a member in the running transaction, unless it is an owner. Returns true when nobody is left to remove. */
  async remove({ orgId, userId }: ManagedMember, details: Readonly<Record<string, string>>): Promise<boolean> {
    if ((await this.organizations.lock(orgId)) === undefined) return true;
    const before = await this.memberships.find(orgId, userId);
    if (before === undefined) return true;
    if (before.role === 'owner') return false;
    await this.memberships.remove(orgId, userId);
    await this.invitations.revokeSentBy(orgId, userId);
    await this.audit.record(
      {
        orgId,
        action: 'member.removed',
        target: { type: 'user', id: userId },
        details: { role: before.role, ...details },
      },
      {},
    );
    await this.people.raiseEpoch(userId);
    return true;
  }
}
