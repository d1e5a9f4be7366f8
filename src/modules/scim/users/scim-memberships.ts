import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit/audit-log.service.js';
import { OrgKeysService } from '../../auth/org-keys.service.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { ManagedMemberships } from '../../orgs/managed-memberships.js';
import { type ProvisioningConnection, SsoProvisioningService } from '../../sso/sso-provisioning.service.js';
import { ScimRefusal } from '../domain/scim-refusal.js';
import type { ScimUser } from '../domain/scim-resources.js';
import { ScimUsersStore } from '../persistence/scim-users.store.js';

/**
 * Makes members of the users of a connection, and takes away from them what they have in the organization. All of it
 * joins the running transaction, which has locked the organization.
 */
@Injectable()
export class ScimMemberships {
  constructor(
    private readonly users: ScimUsersStore,
    private readonly sso: SsoProvisioningService,
    private readonly memberships: ManagedMemberships,
    private readonly keys: OrgKeysService,
    private readonly sessions: SessionsService,
  ) {}

  async isOwner({ orgId }: ProvisioningConnection, userId: string): Promise<boolean> {
    return (await this.memberships.roleOf({ orgId, userId })) === 'owner';
  }

  /** A member keeps the role, unless groups decide on roles. */
  async admit(connection: ProvisioningConnection, user: ScimUser, by: AuditActor): Promise<void> {
    const { orgId, userId } = user;
    await this.sso.admit(connection, userId);
    const current = await this.memberships.roleOf({ orgId, userId });
    if (current !== undefined && connection.groupRoles.length === 0) return;
    const [person] = await this.users.groupsOf(connection.id, [user.id]);
    const role = this.sso.roleOf(connection, person?.groups ?? []);
    await this.memberships.set({ orgId, userId }, role, { by, details: detailsOf(connection) });
  }

  /**
   * Ends the membership, the keys that name the organization, and the sessions that came through the connection, which
   * lets the person in no longer. The membership stays while another connection of the organization provisions the
   * person.
   *
   * @throws {ScimRefusal} 409 for an owner.
   */
  async suspend(connection: ProvisioningConnection, user: ScimUser, by: AuditActor): Promise<void> {
    const { orgId, userId } = user;
    if (await this.isOwner(connection, userId))
      throw new ScimRefusal(409, 'This person is an owner of the organization. Give them another role there first.');
    await this.sso.suspend(connection, userId);
    const staysMember = await this.users.isActiveElsewhere(user);
    // Rows of keys and sessions are locked before the row of the person.
    if (!staysMember) await this.keys.leave({ userId, orgId }, by, 'deprovisioned');
    await this.sessions.endOpenedThrough({ provider: 'sso', connectionId: connection.id }, userId, by);
    if (!staysMember) await this.memberships.remove({ orgId, userId }, detailsOf(connection));
  }

  /** Gives users the roles of the groups that they are in now. Nobody becomes a member by a group alone. */
  async followGroups(
    connection: ProvisioningConnection,
    scimUserIds: readonly string[],
    by: AuditActor,
  ): Promise<void> {
    if (connection.groupRoles.length === 0 || scimUserIds.length === 0) return;
    const { orgId } = connection;
    for (const { userId, groups } of await this.users.groupsOf(connection.id, scimUserIds)) {
      if ((await this.memberships.roleOf({ orgId, userId })) === undefined) continue;
      const role = this.sso.roleOf(connection, groups);
      await this.memberships.set({ orgId, userId }, role, { by, details: detailsOf(connection) });
    }
  }
}

/** What the audit log says of each change that a provider makes. */
export const detailsOf = ({ id }: Pick<ProvisioningConnection, 'id'>): Readonly<Record<string, string>> => ({
  connection_id: id,
  by: 'scim',
});
