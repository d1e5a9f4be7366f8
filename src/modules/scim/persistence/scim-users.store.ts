import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { ListRequest } from '../domain/list-request.js';
import type { Found, ScimUser } from '../domain/scim-resources.js';
import { conditionOf, equals, equalsInAnyCase, type TermCondition } from './filter-sql.js';
import { keepingUnique } from './unique-values.js';

const FACTS = `
  id, connection_id AS "connectionId", org_id AS "orgId", user_id AS "userId", external_id AS "externalId",
  user_name AS "userName", display_name AS "displayName", given_name AS "givenName", family_name AS "familyName",
  email, active, created_at AS "createdAt", updated_at AS "updatedAt"`;

const FILTERED: Readonly<Record<string, TermCondition>> = {
  username: equalsInAnyCase('user_name'),
  externalid: equals('external_id'),
  'emails.value': equalsInAnyCase('email'),
  emails: equalsInAnyCase('email'),
  id: equals('id'),
  active: (value) => ({ sql: 'active = $1', value: String(value).toLowerCase() === 'true' }),
};

/** What is said of a violated constraint. */
const TAKEN: Readonly<Record<string, string>> = {
  scim_users_user_name_unique: 'Another user of this connection has this userName.',
  scim_users_external_id_unique: 'Another user of this connection has this externalId.',
  scim_users_account_unique: 'Another user of this connection has the account with this email address.',
};

/** A person with the groups that the provider put them in. */
export interface GroupedPerson {
  readonly userId: string;
  readonly groups: readonly string[];
}

@Injectable()
export class ScimUsersStore {
  constructor(private readonly database: Database) {}

  /** @throws {ScimRefusal} `uniqueness` */
  async insert(user: ScimUser): Promise<void> {
    await this.unique(
      `INSERT INTO scim_users (id, connection_id, org_id, user_id, external_id, user_name, display_name, given_name,
         family_name, email, active, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [user.id, user.connectionId, user.orgId, user.userId, ...attributesOf(user), user.createdAt, user.updatedAt],
    );
  }

  /** @throws {ScimRefusal} `uniqueness` */
  async save(user: ScimUser): Promise<void> {
    await this.unique(
      `UPDATE scim_users SET user_id = $2, external_id = $3, user_name = $4, display_name = $5, given_name = $6,
         family_name = $7, email = $8, active = $9, updated_at = $10
       WHERE id = $1`,
      [user.id, user.userId, ...attributesOf(user), user.updatedAt],
    );
  }

  async find(connectionId: string, id: string): Promise<ScimUser | undefined> {
    return (await this.many('connection_id = $1 AND id = $2', [connectionId, id]))[0];
  }

  /** {@link find}, and locks the user until the running transaction ends. */
  async lock(connectionId: string, id: string): Promise<ScimUser | undefined> {
    return (await this.many('connection_id = $1 AND id = $2 FOR UPDATE', [connectionId, id]))[0];
  }

  /** The oldest first. @throws {ScimRefusal} `invalidFilter` */
  async list(connectionId: string, { terms, startIndex, count }: ListRequest): Promise<Found<ScimUser>> {
    const { sql, values } = conditionOf(terms, FILTERED, [connectionId]);
    const [row] = await this.sql<{ total: number }>(
      `SELECT count(*)::int AS total FROM scim_users WHERE connection_id = $1 ${sql}`,
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
      'SELECT count(*)::int AS total FROM scim_users WHERE connection_id = $1',
      [connectionId],
    );
    return row!.total;
  }

  async delete(id: string): Promise<void> {
    await this.sql('DELETE FROM scim_users WHERE id = $1', [id]);
  }

  /** Returns those of the ids that are users of the connection. */
  async knownAmong(connectionId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.sql<{ id: string }>('SELECT id FROM scim_users WHERE connection_id = $1 AND id = ANY($2)', [
      connectionId,
      ids,
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  /** True when another connection of the organization provisions the person, who is active there. */
  async isActiveElsewhere({ orgId, userId, connectionId }: ScimUser): Promise<boolean> {
    const rows = await this.sql(
      'SELECT 1 FROM scim_users WHERE org_id = $1 AND user_id = $2 AND connection_id <> $3 AND active LIMIT 1',
      [orgId, userId, connectionId],
    );
    return rows.length > 0;
  }

  /** Returns the active ones of the users with the names of all of their groups, in the order of the people. */
  groupsOf(connectionId: string, ids: readonly string[]): Promise<GroupedPerson[]> {
    return this.sql<GroupedPerson>(
      `
      SELECT u.user_id AS "userId", array_remove(array_agg(g.display_name), NULL) AS groups
      FROM scim_users u
        LEFT JOIN scim_group_members m ON m.scim_user_id = u.id
        LEFT JOIN scim_groups g ON g.id = m.group_id
      WHERE u.connection_id = $1 AND u.id = ANY($2) AND u.active
      GROUP BY u.user_id ORDER BY u.user_id`,
      [connectionId, ids],
    );
  }

  private unique(text: string, values: readonly unknown[]): Promise<void> {
    return keepingUnique(TAKEN, this.sql(text, values));
  }

  private many(rest: string, values: readonly unknown[]): Promise<ScimUser[]> {
    return this.sql<ScimUser>(`SELECT ${FACTS} FROM scim_users WHERE ${rest}`, values);
  }

  private sql<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, [...values]);
  }
}

const attributesOf = (user: ScimUser): unknown[] => [
  user.externalId,
  user.userName,
  user.displayName,
  user.givenName,
  user.familyName,
  user.email,
  user.active,
];
