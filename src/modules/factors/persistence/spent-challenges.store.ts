import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

@Injectable()
export class SpentChallengesStore {
  constructor(private readonly database: Database) {}

  /** Returns true for one of several calls at once with the same challenge, in all processes. */
  async spend(challenge: Buffer, expiresAt: Date): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      'INSERT INTO spent_challenges (challenge, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1',
      [challenge, expiresAt],
    );
    return rows.length === 1;
  }

  /** Deletes up to `limit` rows that expired before a time, and returns how many. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM spent_challenges WHERE challenge IN (
        SELECT challenge FROM spent_challenges WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }
}
