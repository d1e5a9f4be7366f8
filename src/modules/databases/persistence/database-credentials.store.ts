import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { DatabaseCredential, NewDatabaseCredential } from './database-credential-rows.js';

const COLUMNS = `id, database_id AS "databaseId", name, access, username, created_by AS "createdBy",
  created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt"`;
const IS_VALID = '(expires_at IS NULL OR expires_at > $2)';

/** Open connections listen on it, to end when their credential does. */
export const WIRE_ACCESS_CHANNEL = 'database_access';

@Injectable()
export class DatabaseCredentialsStore {
  constructor(private readonly database: Database) {}

  async insert(credential: NewDatabaseCredential): Promise<void> {
    await this.sql(
      `INSERT INTO database_credentials (id, database_id, name, access, username, verifier, created_by, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        credential.id,
        credential.databaseId,
        credential.name,
        credential.access,
        credential.username,
        credential.verifier,
        credential.createdBy,
        credential.createdAt,
      ],
    );
  }

  /** Counts those that have not expired. */
  async count(databaseId: string, now: Date): Promise<number> {
    const [row] = await this.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM database_credentials WHERE database_id = $1 AND ${IS_VALID}`,
      [databaseId, now],
    );
    return row!.n;
  }

  /** Newest first, without those that have expired. */
  async list(databaseId: string, now: Date, page: PageRequest): Promise<Page<DatabaseCredential>> {
    const rows = await this.sql<DatabaseCredential>(
      `SELECT ${COLUMNS} FROM database_credentials
       WHERE database_id = $1 AND ${IS_VALID} AND ($3::text IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
      [databaseId, now, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  /** Locks a credential that has not expired until the running transaction ends. */
  async lock(databaseId: string, id: string, now: Date): Promise<DatabaseCredential | undefined> {
    const [row] = await this.sql<DatabaseCredential>(
      `SELECT ${COLUMNS} FROM database_credentials WHERE database_id = $1 AND ${IS_VALID} AND id = $3 FOR UPDATE`,
      [databaseId, now, id],
    );
    return row;
  }

  /** Never later than before. */
  async expire(id: string, at: Date): Promise<void> {
    await this.sql('UPDATE database_credentials SET expires_at = least(expires_at, $2) WHERE id = $1', [id, at]);
  }

  async delete(id: string): Promise<void> {
    await this.sql('DELETE FROM database_credentials WHERE id = $1', [id]);
  }

  /** Notifies the hosts, when the running transaction commits, that access has changed. */
  async announce(): Promise<void> {
    await this.sql(`SELECT pg_notify('${WIRE_ACCESS_CHANNEL}', '')`, []);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
