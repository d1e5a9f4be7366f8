import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

export interface FactorRecovery {
  readonly userId: string;
  readonly ip: string;
  readonly requestedAt: Date;
  readonly dueAt: Date;
}

const COLUMNS = 'user_id AS "userId", ip, requested_at AS "requestedAt", due_at AS "dueAt"';

@Injectable()
export class RecoveriesStore {
  constructor(private readonly database: Database) {}

  /** Returns false when the person has one already, which keeps its time. */
  async insert({ userId, ip, requestedAt, dueAt }: FactorRecovery): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      `
      INSERT INTO factor_recoveries (user_id, ip, requested_at, due_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (user_id) DO NOTHING RETURNING 1`,
      [userId, ip, requestedAt, dueAt],
    );
    return rows.length === 1;
  }

  async find(userId: string): Promise<FactorRecovery | undefined> {
    const [row] = await this.database.manager.query<FactorRecovery[]>(
      `SELECT ${COLUMNS} FROM factor_recoveries WHERE user_id = $1`,
      [userId],
    );
    return row;
  }

  async delete(userId: string): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      'DELETE FROM factor_recoveries WHERE user_id = $1',
      [userId],
    );
    return count === 1;
  }

  async dueAt(now: Date, limit: number): Promise<string[]> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      'SELECT user_id AS id FROM factor_recoveries WHERE due_at <= $1 ORDER BY due_at LIMIT $2',
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Takes a recovery that is due. One that was cancelled meanwhile is not there any more. */
  async take(userId: string, now: Date): Promise<FactorRecovery | undefined> {
    const [rows] = await this.database.manager.query<[FactorRecovery[], number]>(
      `DELETE FROM factor_recoveries WHERE user_id = $1 AND due_at <= $2 RETURNING ${COLUMNS}`,
      [userId, now],
    );
    return rows[0];
  }

  /** Marks recoveries as reminded of that were requested before a time, and returns whose they are. */
  async remind(requestedBefore: Date, now: Date): Promise<string[]> {
    const [rows] = await this.database.manager.query<[{ id: string }[], number]>(
      `
      UPDATE factor_recoveries SET reminded_at = $2
      WHERE reminded_at IS NULL AND requested_at <= $1 AND due_at > $2 RETURNING user_id AS id`,
      [requestedBefore, now],
    );
    return rows.map(({ id }) => id);
  }
}
