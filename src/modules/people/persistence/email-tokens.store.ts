import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { EmailToken, type EmailTokenPurpose } from './email-token.entity.js';

@Injectable()
export class EmailTokensStore {
  constructor(private readonly database: Database) {}

  /** Deletes the expired tokens of the user first. */
  async insert(token: EmailToken): Promise<void> {
    await this.database.manager.query('DELETE FROM email_tokens WHERE user_id = $1 AND expires_at < $2', [
      token.userId,
      token.createdAt,
    ]);
    await this.database.manager.insert(EmailToken, token);
  }

  /** Locks the token, so that the second of two concurrent calls sees that it was used. */
  async findUsable(hashes: readonly Buffer[], purpose: EmailTokenPurpose, now: Date): Promise<EmailToken | undefined> {
    const token = await this.database.manager
      .createQueryBuilder(EmailToken, 'token')
      .where('token.tokenHash = ANY(:hashes) AND token.purpose = :purpose', { hashes, purpose })
      .andWhere('token.usedAt IS NULL AND token.expiresAt > :now', { now })
      .setLock('pessimistic_write')
      .getOne();
    return token ?? undefined;
  }

  /** Marks every token of the user for this purpose as used, because one of several messages is enough. */
  async useUp(userId: string, purpose: EmailTokenPurpose, now: Date): Promise<void> {
    await this.database.manager.query(
      'UPDATE email_tokens SET used_at = $3 WHERE user_id = $1 AND purpose = $2 AND used_at IS NULL',
      [userId, purpose, now],
    );
  }

  /** Deletes up to `limit` rows that ended before a time, and returns how many. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM email_tokens WHERE id IN (
        SELECT id FROM email_tokens WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }
}
