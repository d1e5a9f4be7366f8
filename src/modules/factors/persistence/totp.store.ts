import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

export interface TotpRow {
  readonly id: string;
  readonly userId: string;
  /** The secret, sealed. */
  readonly secret: Buffer;
  readonly lastStep: number;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const COLUMNS = `
  id, user_id AS "userId", secret, last_step AS "lastStep", created_at AS "createdAt", confirmed_at AS "confirmedAt",
  last_used_at AS "lastUsedAt"`;

@Injectable()
export class TotpStore {
  constructor(private readonly database: Database) {}

  /** Replaces the secret that waits for its first code. */
  async putPending({
    id,
    userId,
    secret,
    at,
  }: {
    id: string;
    userId: string;
    secret: Buffer;
    at: Date;
  }): Promise<void> {
    const { manager } = this.database;
    await manager.query('DELETE FROM totp_secrets WHERE user_id = $1 AND confirmed_at IS NULL', [userId]);
    await manager.query('INSERT INTO totp_secrets (id, user_id, secret, created_at) VALUES ($1, $2, $3, $4)', [
      id,
      userId,
      secret,
      at,
    ]);
  }

  findPending(userId: string): Promise<TotpRow | undefined> {
    return this.findWhere('confirmed_at IS NULL', userId);
  }

  findInUse(userId: string): Promise<TotpRow | undefined> {
    return this.findWhere('confirmed_at IS NOT NULL', userId);
  }

  /** Begins with the pending secret, in place of the one in use. */
  async confirm({ id, userId }: TotpRow, step: number, at: Date): Promise<void> {
    const { manager } = this.database;
    await manager.query('DELETE FROM totp_secrets WHERE user_id = $1 AND confirmed_at IS NOT NULL', [userId]);
    await manager.query('UPDATE totp_secrets SET confirmed_at = $3, last_used_at = $3, last_step = $2 WHERE id = $1', [
      id,
      step,
      at,
    ]);
  }

  /** Uses up a step and all before it. Of several calls at once, in all processes, one gets true. */
  async useStep(id: string, step: number, at: Date): Promise<boolean> {
    const [, changed] = await this.database.manager.query<[unknown, number]>(
      'UPDATE totp_secrets SET last_step = $2, last_used_at = $3 WHERE id = $1 AND last_step < $2',
      [id, step, at],
    );
    return changed === 1;
  }

  /** Returns true when the person had a confirmed secret with this id. */
  async delete(id: string, userId: string): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      'DELETE FROM totp_secrets WHERE id = $1 AND user_id = $2 AND confirmed_at IS NOT NULL',
      [id, userId],
    );
    return count === 1;
  }

  async deleteAll(userId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM totp_secrets WHERE user_id = $1', [userId]);
  }

  async saveSealed(id: string, secret: Buffer): Promise<void> {
    await this.database.manager.query('UPDATE totp_secrets SET secret = $2 WHERE id = $1', [id, secret]);
  }

  /** Returns rows after `afterId` that were not sealed with the newest key of the service. */
  async withoutMark(mark: Buffer, afterId: string | undefined, limit: number): Promise<TotpRow[]> {
    return this.database.manager.query<TotpRow[]>(
      `
      SELECT ${COLUMNS} FROM totp_secrets
      WHERE substring(secret FOR length($1::bytea)) <> $1 AND ($2::text IS NULL OR id > $2)
      ORDER BY id LIMIT $3`,
      [mark, afterId ?? null, limit],
    );
  }

  private async findWhere(condition: string, userId: string): Promise<TotpRow | undefined> {
    const [row] = await this.database.manager.query<(TotpRow & { lastStep: string })[]>(
      `SELECT ${COLUMNS} FROM totp_secrets WHERE user_id = $1 AND ${condition}`,
      [userId],
    );
    return row && { ...row, lastStep: Number(row.lastStep) };
  }
}
