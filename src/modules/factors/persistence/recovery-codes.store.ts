import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

@Injectable()
export class RecoveryCodesStore {
  constructor(private readonly database: Database) {}

  /** Replaces all codes of the person. */
  async replace(userId: string, hashes: readonly Buffer[]): Promise<void> {
    await this.deleteAll(userId);
    await this.database.manager.query(
      'INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::bytea[])',
      [userId, hashes],
    );
  }

  /** Uses up a code. Of several calls at once, in all processes, one gets true. */
  async use(userId: string, hashes: readonly Buffer[]): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      'DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = ANY($2)',
      [userId, hashes],
    );
    return count === 1;
  }

  async count(userId: string): Promise<number> {
    const [row] = await this.database.manager.query<{ count: string }[]>(
      'SELECT count(*) FROM recovery_codes WHERE user_id = $1',
      [userId],
    );
    return Number(row!.count);
  }

  async deleteAll(userId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM recovery_codes WHERE user_id = $1', [userId]);
  }
}
