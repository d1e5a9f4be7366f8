import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { IdempotencyRecord } from './idempotency-record.entity.js';

const SWEPT_AT_ONCE = 1_000;

export interface Attempt {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly holder: string;
}

@Injectable()
export class IdempotencyStore {
  constructor(private readonly database: Database) {}

  /**
   * Claims the key for an attempt: when it is unused, when its record has expired, or when the process that ran the
   * same request died. Returns false when another attempt holds the key or it is answered.
   */
  async take(
    { scope, key, fingerprint, holder }: Attempt,
    now: Date,
    { heldUntil, expiresAt }: { heldUntil: Date; expiresAt: Date },
  ): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      `
      INSERT INTO idempotency_records AS r (scope, key, fingerprint, holder, held_until, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (scope, key) DO UPDATE
        SET fingerprint = $3, holder = $4, held_until = $5, status = NULL, answer = NULL, created_at = $6,
          expires_at = $7
        WHERE r.expires_at <= $6 OR (r.status IS NULL AND r.held_until <= $6 AND r.fingerprint = $3)
      RETURNING 1`,
      [scope, key, fingerprint, holder, heldUntil, now, expiresAt],
    );
    return rows.length > 0;
  }

  find({ scope, key }: Pick<Attempt, 'scope' | 'key'>): Promise<IdempotencyRecord | null> {
    return this.database.manager.findOneBy(IdempotencyRecord, { scope, key });
  }

  async hold({ scope, key, holder }: Attempt, heldUntil: Date): Promise<void> {
    await this.database.manager.update(IdempotencyRecord, { scope, key, holder }, { heldUntil });
  }

  /** Returns false when another attempt has taken over meanwhile. */
  async answer({ scope, key, holder }: Attempt, status: number, answer: Buffer): Promise<boolean> {
    const { affected } = await this.database.manager.update(
      IdempotencyRecord,
      { scope, key, holder },
      { status, answer, heldUntil: null },
    );
    return affected === 1;
  }

  /**
   * Frees the keys of attempts that were not answered. An answer whose commit succeeded without this process learning
   * of it stays. If that commit is still in progress, the lock of the row makes this statement wait for it.
   */
  async release(attempts: readonly Attempt[]): Promise<void> {
    const column = (name: 'scope' | 'key' | 'holder'): string[] => attempts.map((attempt) => attempt[name]);
    await this.database.manager.query(
      `
      DELETE FROM idempotency_records AS r
      USING unnest($1::text[], $2::text[], $3::text[]) AS failed (scope, key, holder)
      WHERE r.scope = failed.scope AND r.key = failed.key AND r.holder = failed.holder AND r.status IS NULL`,
      [column('scope'), column('key'), column('holder')],
    );
  }

  async sweep(now: Date): Promise<void> {
    await this.database.manager.query(
      `
      DELETE FROM idempotency_records WHERE ctid IN (
        SELECT ctid FROM idempotency_records WHERE expires_at <= $1 LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)`,
      [now],
    );
  }
}
