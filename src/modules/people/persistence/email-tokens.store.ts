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
  async findUsable(
    hashes: readonly Buffer[],
    purposes: readonly EmailTokenPurpose[],
    now: Date,
  ): Promise<EmailToken | undefined> {
    const token = await this.database.manager
      .createQueryBuilder(EmailToken, 'token')
      .where('token.tokenHash = ANY(:hashes) AND token.purpose = ANY(:purposes)', { hashes, purposes })
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

  /** Returns those of the hashes that belong to tokens, used and expired ones included. */
  async known(hashes: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await this.database.manager.query<{ hash: Buffer }[]>(
      'SELECT token_hash AS hash FROM email_tokens WHERE token_hash = ANY($1)',
      [hashes],
    );
    return rows.map(({ hash }) => hash);
  }

  /** Marks one token as used. Returns false when it did not work any more. */
  async end(hash: Buffer, now: Date): Promise<boolean> {
    const [, changed] = await this.database.manager.query<[unknown, number]>(
      'UPDATE email_tokens SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2',
      [hash, now],
    );
    return changed === 1;
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
