import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { FirstFactorMethod } from '../sign-in-method.js';

interface SignInFlow {
  readonly id: string;
  readonly userId: string;
  /** What was shown in the first step. */
  readonly method: FirstFactorMethod;
  /** The SSO connection, if that is the method. */
  readonly connectionId: string | null;
  readonly tokenHash: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

type Beginning = Pick<SignInFlow, 'userId' | 'method' | 'connectionId'>;

@Injectable()
export class SignInFlowsStore {
  constructor(private readonly database: Database) {}

  async insert({ id, userId, method, connectionId, tokenHash, createdAt, expiresAt }: SignInFlow): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO sign_in_flows (id, user_id, method, token_hash, created_at, expires_at, connection_id)
      VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, userId, method, tokenHash, createdAt, expiresAt, connectionId],
    );
  }

  async find(hashes: readonly Buffer[], now: Date): Promise<Beginning | undefined> {
    const [row] = await this.database.manager.query<Beginning[]>(
      `
      SELECT user_id AS "userId", method, connection_id AS "connectionId" FROM sign_in_flows
      WHERE token_hash = ANY($1) AND expires_at > $2`,
      [hashes, now],
    );
    return row;
  }

  /** Returns true for one of several calls at once with one token. */
  async delete(hashes: readonly Buffer[], now: Date): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      'DELETE FROM sign_in_flows WHERE token_hash = ANY($1) AND expires_at > $2',
      [hashes, now],
    );
    return count === 1;
  }

  /** Deletes up to `limit` rows that ended before a time, and returns how many. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM sign_in_flows WHERE id IN (
        SELECT id FROM sign_in_flows WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }
}
