import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { MemberChanges } from '../domain/group-attributes.js';
import type { ListRequest } from '../domain/list-request.js';
import type { Found, ScimGroup, ScimMember } from '../domain/scim-resources.js';
import { conditionOf, equals, equalsInAnyCase, type TermCondition } from './filter-sql.js';
import { keepingUnique } from './unique-values.js';

const FACTS = `
  id, connection_id AS "connectionId", display_name AS "displayName", external_id AS "externalId",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const HAS_MEMBER =
  'EXISTS (SELECT 1 FROM scim_group_members m WHERE m.group_id = scim_groups.id AND m.scim_user_id = $1)';
const hasMember: TermCondition = (value) => (typeof value === 'string' ? { sql: HAS_MEMBER, value } : undefined);

const FILTERED: Readonly<Record<string, TermCondition>> = {
  displayname: equalsInAnyCase('display_name'),
  externalid: equals('external_id'),
  id: equals('id'),
  'members.value': hasMember,
  members: hasMember,
};

const TAKEN: Readonly<Record<string, string>> = {
  scim_groups_display_name_unique: 'Another group of this connection has this displayName.',
  scim_groups_external_id_unique: 'Another group of this connection has this externalId.',
};

@Injectable()
export class ScimGroupsStore {
  constructor(private readonly database: Database) {}

  /** @throws {ScimRefusal} `uniqueness` */
  async insert({ id, connectionId, externalId, displayName, createdAt, updatedAt }: ScimGroup): Promise<void> {
    await this.unique(
      `INSERT INTO scim_groups (id, connection_id, external_id, display_name, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [id, connectionId, externalId, displayName, createdAt, updatedAt],
    );
  }

  /** @throws {ScimRefusal} `uniqueness` */
  async save({ id, externalId, displayName, updatedAt }: ScimGroup): Promise<void> {
    await this.unique('UPDATE scim_groups SET external_id = $2, display_name = $3, updated_at = $4 WHERE id = $1', [
      id,
      externalId,
      displayName,
      updatedAt,
    ]);
  }

  async find(connectionId: string, id: string): Promise<ScimGroup | undefined> {
    return (await this.many('connection_id = $1 AND id = $2', [connectionId, id]))[0];
  }

  /** {@link find}, and locks the group until the running transaction ends. */
  async lock(connectionId: string, id: string): Promise<ScimGroup | undefined> {
    return (await this.many('connection_id = $1 AND id = $2 FOR UPDATE', [connectionId, id]))[0];
  }

  /** The oldest first. @throws {ScimRefusal} `invalidFilter` */
  async list(connectionId: string, { terms, startIndex, count }: ListRequest): Promise<Found<ScimGroup>> {
    const { sql, values } = conditionOf(terms, FILTERED, [connectionId]);
    const [row] = await this.sql<{ total: number }>(
      `SELECT count(*)::int AS total FROM scim_groups WHERE connection_id = $1 ${sql}`,
      values,
    );
    const items = await this.many(
      `connection_id = $1 ${sql} ORDER BY id OFFSET $${values.length + 1} LIMIT $${values.length + 2}`,
      [...values, startIndex - 1, count],
    );
    return { total: row!.total, items };
  }

  async count(connectionId: string): Promise<number> {
    const [row] = await this.sql<{ total: number }>(
      'SELECT count(*)::int AS total FROM scim_groups WHERE connection_id = $1',
      [connectionId],
    );
    return row!.total;
  }

  async delete(id: string): Promise<void> {
    await this.sql('DELETE FROM scim_groups WHERE id = $1', [id]);
  }

  /** Returns the first `limit` members of the groups. */
  membersOf(groupIds: readonly string[], limit: number): Promise<ScimMember[]> {
    return this.sql<ScimMember>(
      `
      SELECT m.group_id AS "groupId", u.id, u.user_name AS "userName"
      FROM scim_group_members m JOIN scim_users u ON u.id = m.scim_user_id
      WHERE m.group_id = ANY($1) ORDER BY m.group_id, u.id LIMIT $2`,
      [groupIds, limit],
    );
  }

  async memberIdsOf(groupId: string): Promise<string[]> {
    const rows = await this.sql<{ id: string }>(
      'SELECT scim_user_id AS id FROM scim_group_members WHERE group_id = $1',
      [groupId],
    );
    return rows.map(({ id }) => id);
  }

  /** Changes the members of a locked group, and returns those who came or went. */
  async changeMembers(
    { id, connectionId }: ScimGroup,
    { clears, added, removed }: MemberChanges,
  ): Promise<{ readonly came: readonly string[]; readonly went: readonly string[] }> {
    const [gone] = await this.database.manager.query<[{ id: string }[], number]>(
      `DELETE FROM scim_group_members WHERE group_id = $1
         AND CASE WHEN $2 THEN scim_user_id <> ALL($3::text[]) ELSE scim_user_id = ANY($4::text[]) END
       RETURNING scim_user_id AS id`,
      [id, clears, [...added], [...removed]],
    );
    const came = await this.sql<{ id: string }>(
      `INSERT INTO scim_group_members (connection_id, group_id, scim_user_id)
       SELECT $1, $2, unnest($3::text[]) ON CONFLICT DO NOTHING RETURNING scim_user_id AS id`,
      [connectionId, id, [...added]],
    );
    return { came: came.map((row) => row.id), went: gone.map((row) => row.id) };
  }

  private unique(text: string, values: readonly unknown[]): Promise<void> {
    return keepingUnique(TAKEN, this.sql(text, values));
  }

  private many(rest: string, values: readonly unknown[]): Promise<ScimGroup[]> {
    return this.sql<ScimGroup>(`SELECT ${FACTS} FROM scim_groups WHERE ${rest}`, values);
  }

  private sql<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, [...values]);
  }
}
