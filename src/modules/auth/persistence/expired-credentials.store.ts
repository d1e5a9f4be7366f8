import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** What is over, by table: nobody can use it any more, and after a while nobody asks what became of it. */
const OVER = {
  sessions: 'coalesce(ended_at, expires_at) < $1',
  email_tokens: 'expires_at < $1',
  invitations: 'coalesce(accepted_at, revoked_at, expires_at) < $1',
} as const;

type ExpiringTable = keyof typeof OVER;

export const EXPIRING_TABLES = Object.keys(OVER) as ExpiringTable[];

@Injectable()
export class ExpiredCredentialsStore {
  constructor(private readonly database: Database) {}

  /** Deletes up to `limit` rows that have been over since `before`, and says how many there were. */
  async delete(table: ExpiringTable, before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${OVER[table]} LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }
}
