import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { GroupChange } from '../domain/group-attributes.js';
import { leavesOut, type ListRequest, type Projection } from '../domain/list-request.js';
import { notFound, ScimRefusal } from '../domain/scim-refusal.js';
import type { Found, ScimGroup, ScimMember } from '../domain/scim-resources.js';
import { ScimGroupsStore } from '../persistence/scim-groups.store.js';
import { SCIM_GROUP_ID } from '../scim.ids.js';
import { ConnectionLock } from '../tokens/connection-lock.js';
import type { ScimCall } from '../tokens/scim-call.js';
import { GroupWrites } from './group-writes.js';

/** A list of groups has at most this many members in all. */
const MOST_LISTED_MEMBERS = 10_000;
/** More than all users of a connection. */
const ALL_MEMBERS = 100_000;

/** A group with its members, unless they are left out. */
export interface ShownGroup extends ScimGroup {
  readonly members?: readonly ScimMember[];
}

/** The groups of one connection, as its provider sees them. */
@Injectable()
export class ScimGroupsService {
  constructor(
    private readonly database: Database,
    private readonly groups: ScimGroupsStore,
    private readonly writes: GroupWrites,
    private readonly locks: ConnectionLock,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** @throws {ScimRefusal} `invalidFilter`, `tooMany` */
  async list({ connection }: ScimCall, request: ListRequest): Promise<Found<ShownGroup>> {
    const { total, items } = await this.groups.list(connection.id, request);
    if (leavesOut(request, 'members') || items.length === 0) return { total, items };
    const ids = items.map(({ id }) => id);
    const found = await this.groups.membersOf(ids, MOST_LISTED_MEMBERS + 1);
    if (found.length > MOST_LISTED_MEMBERS)
      throw new ScimRefusal(
        400,
        `The groups of this page have more than ${MOST_LISTED_MEMBERS} members: send excludedAttributes=members.`,
        { scimType: 'tooMany' },
      );
    const membersOf = Map.groupBy(found, ({ groupId }) => groupId);
    return { total, items: items.map((group) => ({ ...group, members: membersOf.get(group.id) ?? [] })) };
  }

  /** @throws {ScimRefusal} 404 */
  async get({ connection }: ScimCall, id: string, projection: Projection): Promise<ShownGroup> {
    const group = await this.groups.find(connection.id, id);
    if (group === undefined) throw notFound('Group', id);
    if (leavesOut(projection, 'members')) return group;
    return { ...group, members: await this.groups.membersOf([id], ALL_MEMBERS) };
  }

  /** @throws {ScimRefusal} `uniqueness`, `invalidValue`: a member is no user of the connection. */
  create(call: ScimCall, { attributes, members }: GroupChange): Promise<ScimGroup> {
    return this.database.transaction(async () => {
      const connection = await this.writes.lockRoom(call.connection);
      const at = this.clock.now();
      const id = this.ids.next(SCIM_GROUP_ID);
      const group = { ...attributes, id, connectionId: connection.id, createdAt: at, updatedAt: at };
      await this.writes.add({ ...call, connection }, group, members);
      return group;
    });
  }

  /** Concurrent changes of a group happen one after the other. @throws {ScimRefusal} 404, and as {@link create}. */
  change(call: ScimCall, id: string, changed: (before: ScimGroup) => GroupChange): Promise<ScimGroup> {
    return this.database.transaction(async () => {
      const connection = await this.locks.take(call.connection);
      const before = await this.groups.lock(connection.id, id);
      if (before === undefined) throw notFound('Group', id);
      const { attributes, members } = changed(before);
      const after = { ...before, ...attributes, updatedAt: this.clock.now() };
      return this.writes.save({ ...call, connection }, { before, after }, members);
    });
  }

  /** @throws {ScimRefusal} 404 */
  async delete(call: ScimCall, id: string): Promise<void> {
    await this.database.transaction(async () => {
      const connection = await this.locks.take(call.connection);
      const group = await this.groups.lock(connection.id, id);
      if (group === undefined) throw notFound('Group', id);
      await this.writes.delete({ ...call, connection }, group);
    });
  }
}
