import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** What is kept between the steps of the flow. */
export type RecordModel = 'AuthorizationCode' | 'Interaction' | 'RefreshToken';
type Payload = Readonly<Record<string, unknown>>;

export interface OauthRecord {
  readonly payload: Payload;
  readonly consumedAt: Date | null;
}

/** Codes, refresh tokens and running requests, by the hash of their id, so that a copy of the database has none. */
@Injectable()
export class OauthRecordsStore {
  constructor(private readonly database: Database) {}

  async save(record: {
    readonly hash: Buffer;
    readonly model: RecordModel;
    readonly grantId: string | null;
    readonly payload: Payload;
    readonly expiresAt: Date;
  }): Promise<void> {
    const { hash, model, grantId, payload, expiresAt } = record;
    await this.database.manager.query(
      `
      INSERT INTO oauth_records (id_hash, model, grant_id, payload, expires_at) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (id_hash) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at`,
      [hash, model, grantId, JSON.stringify(payload), expiresAt],
    );
  }

  async find(model: RecordModel, hashes: readonly Buffer[], now: Date): Promise<OauthRecord | undefined> {
    const [row] = await this.database.manager.query<OauthRecord[]>(
      `
      SELECT payload, consumed_at AS "consumedAt" FROM oauth_records
      WHERE id_hash = ANY($1) AND model = $2 AND expires_at > $3`,
      [hashes, model, now],
    );
    return row;
  }

  /** Returns false when the record was consumed before, also at the same time by another process. */
  async consume(model: RecordModel, hashes: readonly Buffer[], now: Date): Promise<boolean> {
    const [, changed] = await this.database.manager.query<[unknown, number]>(
      'UPDATE oauth_records SET consumed_at = $3 WHERE id_hash = ANY($1) AND model = $2 AND consumed_at IS NULL',
      [hashes, model, now],
    );
    return changed === 1;
  }

  async delete(model: RecordModel, hashes: readonly Buffer[]): Promise<void> {
    await this.database.manager.query('DELETE FROM oauth_records WHERE id_hash = ANY($1) AND model = $2', [
      hashes,
      model,
    ]);
  }

  async deleteOfGrant(grantId: string): Promise<void> {
    await this.database.manager.query(
      `
      WITH doomed AS MATERIALIZED (
        SELECT id_hash FROM oauth_records WHERE grant_id = $1 ORDER BY id_hash FOR UPDATE)
      DELETE FROM oauth_records USING doomed WHERE oauth_records.id_hash = doomed.id_hash`,
      [grantId],
    );
  }

  /** Deletes up to `limit` rows that expired before a time, and returns how many. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM oauth_records WHERE id_hash IN (
        SELECT id_hash FROM oauth_records WHERE expires_at < $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }
}
