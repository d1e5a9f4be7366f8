import { Injectable } from '@nestjs/common';
import type { ProvisioningConnection } from '../../sso/sso-provisioning.service.js';
import type { MemberChanges } from '../domain/group-attributes.js';
import { badValue, ScimRefusal, shown } from '../domain/scim-refusal.js';
import type { ScimGroup } from '../domain/scim-resources.js';
import { ScimGroupsStore } from '../persistence/scim-groups.store.js';
import { ScimUsersStore } from '../persistence/scim-users.store.js';
import { ConnectionLock } from '../tokens/connection-lock.js';
import type { ScimCall } from '../tokens/scim-call.js';
import { ScimHistory } from '../users/scim-history.js';
import { ScimMemberships } from '../users/scim-memberships.js';

const MOST_GROUPS = 5_000;

/** What writes of groups do and check in the running transaction. */
@Injectable()
export class GroupWrites {
  constructor(
    private readonly groups: ScimGroupsStore,
    private readonly users: ScimUsersStore,
    private readonly locks: ConnectionLock,
    private readonly memberships: ScimMemberships,
    private readonly history: ScimHistory,
  ) {}

  /** Locks the organization, and requires room for another group. @throws {ScimRefusal} */
  async lockRoom(connection: ProvisioningConnection): Promise<ProvisioningConnection> {
    const current = await this.locks.take(connection);
    if ((await this.groups.count(current.id)) >= MOST_GROUPS)
      throw new ScimRefusal(403, `A connection can have ${MOST_GROUPS} groups.`);
    return current;
  }

  /** @throws {ScimRefusal} `uniqueness`, `invalidValue` */
  async add(call: ScimCall, group: ScimGroup, members: MemberChanges): Promise<void> {
    const { connection, ip } = call;
    await this.groups.insert(group);
    await this.history.record(connection, 'scim.group_created', { id: group.id }, { ip });
    const { came } = await this.changeMembers(group, members);
    await this.follow(call, [group], came);
  }

  /** Nothing is written when nothing changes. @throws {ScimRefusal} `uniqueness`, `invalidValue` */
  async save(
    call: ScimCall,
    { before, after }: { readonly before: ScimGroup; readonly after: ScimGroup },
    members: MemberChanges,
  ): Promise<ScimGroup> {
    const { connection, ip } = call;
    const { came, went } = await this.changeMembers(after, members);
    const isRenamed = before.displayName !== after.displayName;
    if (!isRenamed && before.externalId === after.externalId && came.length + went.length === 0) return before;
    await this.groups.save(after);
    await this.history.record(connection, 'scim.group_changed', { id: after.id }, { ip });
    const concerned = isRenamed ? [...(await this.groups.memberIdsOf(after.id)), ...went] : [...came, ...went];
    await this.follow(call, [before, after], concerned);
    return after;
  }

  async delete(call: ScimCall, group: ScimGroup): Promise<void> {
    const { connection, ip } = call;
    const memberIds = await this.groups.memberIdsOf(group.id);
    await this.groups.delete(group.id);
    await this.history.record(connection, 'scim.group_deleted', { id: group.id }, { ip });
    await this.follow(call, [group], memberIds);
  }

  private async changeMembers(
    group: ScimGroup,
    members: MemberChanges,
  ): Promise<{ readonly came: readonly string[]; readonly went: readonly string[] }> {
    const added = [...members.added];
    if (added.length > 0) {
      const known = await this.users.knownAmong(group.connectionId, added);
      const unknown = added.find((id) => !known.has(id));
      if (unknown !== undefined) throw badValue(`${shown(unknown)} is not a user of this connection.`);
    }
    return this.groups.changeMembers(group, members);
  }

  /** Most groups give no role. */
  private async follow(
    { connection, ip }: ScimCall,
    groups: readonly ScimGroup[],
    scimUserIds: readonly string[],
  ): Promise<void> {
    const giving = new Set(connection.groupRoles.map(({ group }) => group));
    if (groups.some(({ displayName }) => giving.has(displayName)))
      await this.memberships.followGroups(connection, scimUserIds, { ip });
  }
}
