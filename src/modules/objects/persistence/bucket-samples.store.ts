import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { hourOf, msBetween } from './metered.js';

const HOUR_MS = 3_600_000;

export interface BucketSample {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string | null;
  readonly bytes: string;
}

const HOUR = hourOf('$1');
/** What `byte_ms` was, or would have been, at the last whole hour. */
const AT_HOUR = `CASE WHEN ${HOUR} > hour_at THEN byte_ms + bytes * ${msBetween('as_of', HOUR)} ELSE hour_byte_ms END`;

/**
 * The mean of all hours since the last sample. Both ends are rounded down in the same way, so that nothing is lost
 * between samples.
 */
const MEAN = `(div(${AT_HOUR}, ${HOUR_MS}) - div(sampled_byte_ms, ${HOUR_MS}))
  / (extract(epoch FROM ${HOUR} - sampled_at) / 3600)`;

/** Samples of how much buckets kept. */
@Injectable()
export class BucketSamplesStore {
  constructor(private readonly database: Database) {}

  /**
   * Samples up to `limit` buckets that have no sample of the last whole hour, and returns how many there were. A bucket
   * that is sampled again in the same hour keeps its sample.
   */
  async take(table: 'buckets' | 'deleted_buckets', now: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `UPDATE ${table} SET sampled_bytes = floor(${MEAN}), sampled_byte_ms = ${AT_HOUR}, sampled_at = ${HOUR}
       WHERE id IN (SELECT id FROM ${table} WHERE sampled_at < ${HOUR} ORDER BY id LIMIT $2 FOR NO KEY UPDATE)`,
      [now, limit],
    );
    return count;
  }

  /** Returns the last samples. Buckets that kept nothing are left out. */
  all(): Promise<BucketSample[]> {
    return this.sql(
      `SELECT id, org_id AS "orgId", project_id AS "projectId", sampled_bytes AS bytes FROM buckets
       WHERE sampled_bytes > 0
       UNION ALL
       SELECT id, org_id, project_id, sampled_bytes FROM deleted_buckets WHERE sampled_bytes > 0`,
      [],
    );
  }

  /** Forgets deleted buckets whose last hour was sampled in an earlier hour. */
  async forgetDeleted(now: Date): Promise<void> {
    await this.sql(`DELETE FROM deleted_buckets WHERE sampled_at >= deleted_at AND sampled_at < ${HOUR}`, [now]);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
