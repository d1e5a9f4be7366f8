import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { Bucket } from './bucket-rows.js';
import { metered, METERED_COLUMNS, meteredSince } from './metered.js';

const COLUMNS = `
  id, org_id AS "orgId", project_id AS "projectId", name, label, visibility, cors,
  expire_after_days AS "expireAfterDays", bytes::float8 AS "sizeBytes", object_count::float8 AS "objectCount",
  (SELECT coalesce(sum(reservation.bytes), 0)::float8 FROM storage_reservations reservation
   WHERE reservation.bucket_id = buckets.id) AS "reservedBytes",
  created_by AS "createdBy", created_at AS "createdAt", updated_at AS "updatedAt"`;

const BY_NAME = prepared(`
  SELECT ${COLUMNS} FROM buckets WHERE org_id = $1 AND (label = $2 OR name = $2) ORDER BY label = $2 DESC LIMIT 1`);

/** How much an organization stores in all its buckets, and how much its running writes may add. */
export interface StorageUse {
  readonly sizeBytes: number;
  readonly reservedBytes: number;
}

@Injectable()
export class BucketsStore {
  constructor(private readonly database: Database) {}

  /** @throws {QueryFailedError} for a violation of `buckets_name`. */
  async insert(bucket: Bucket): Promise<void> {
    await this.sql('INSERT INTO storage_accounts (org_id, bytes, reserved) VALUES ($1, 0, 0) ON CONFLICT DO NOTHING', [
      bucket.orgId,
    ]);
    await this.sql(
      `INSERT INTO buckets (id, org_id, project_id, name, label, visibility, cors, expire_after_days, bytes,
         object_count, ${METERED_COLUMNS}, created_by, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, ${meteredSince('$10')}, $9, $10, $10)`,
      [
        bucket.id,
        bucket.orgId,
        bucket.projectId,
        bucket.name,
        bucket.label,
        bucket.visibility,
        JSON.stringify(bucket.cors),
        bucket.expireAfterDays,
        bucket.createdBy,
        bucket.createdAt,
      ],
    );
  }

  /** Saves what people change. */
  async save(bucket: Bucket): Promise<void> {
    await this.sql(
      `UPDATE buckets
       SET project_id = $2, name = $3, visibility = $4, cors = $5, expire_after_days = $6, updated_at = $7
       WHERE id = $1`,
      [
        bucket.id,
        bucket.projectId,
        bucket.name,
        bucket.visibility,
        JSON.stringify(bucket.cors),
        bucket.expireAfterDays,
        bucket.updatedAt,
      ],
    );
  }

  async count(orgId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>('SELECT count(*)::int AS n FROM buckets WHERE org_id = $1', [orgId]);
    return row!.n;
  }

  async use(orgId: string): Promise<StorageUse> {
    const [row] = await this.sql<StorageUse>(
      `SELECT bytes::float8 AS "sizeBytes", reserved::float8 AS "reservedBytes"
       FROM storage_accounts WHERE org_id = $1`,
      [orgId],
    );
    return row ?? { sizeBytes: 0, reservedBytes: 0 };
  }

  /** Notes that a write found no room. Returns false when that was noted after `before`. */
  async noteFull(orgId: string, now: Date, before: Date): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `UPDATE storage_accounts SET full_at = $2 WHERE org_id = $1 AND (full_at IS NULL OR full_at < $3)`,
      [orgId, now, before],
    );
    return count > 0;
  }

  /** The buckets of a deleted project belong to the organization alone. */
  async leaveProject(projectId: string): Promise<void> {
    await this.sql('UPDATE buckets SET project_id = NULL WHERE project_id = $1', [projectId]);
  }

  /** Returns buckets after this id, in order, whose objects expire. */
  expiring(after: string, limit: number): Promise<Bucket[]> {
    return this.sql(
      `SELECT ${COLUMNS} FROM buckets WHERE expire_after_days IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`,
      [after, limit],
    );
  }

  /** Newest first. */
  async list(orgId: string, projectId: string | undefined, page: PageRequest): Promise<Page<Bucket>> {
    const rows = await this.sql<Bucket>(
      `SELECT ${COLUMNS} FROM buckets
       WHERE org_id = $1 AND ($2::text IS NULL OR id < $2) AND ($4::text IS NULL OR project_id = $4)
       ORDER BY id DESC LIMIT $3`,
      [orgId, page.after ?? null, page.limit + 1, projectId ?? null],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  /** All of an organization, by name. A plan bounds how many there are. */
  all(orgId: string): Promise<Bucket[]> {
    return this.sql(`SELECT ${COLUMNS} FROM buckets WHERE org_id = $1 ORDER BY name`, [orgId]);
  }

  async find(orgIds: readonly string[], id: string): Promise<Bucket | undefined> {
    const [row] = await this.sql<Bucket>(`SELECT ${COLUMNS} FROM buckets WHERE org_id = ANY($1::text[]) AND id = $2`, [
      orgIds,
      id,
    ]);
    return row;
  }

  /** Finds a bucket of an organization by its label, or else by its name. */
  async findByName(orgId: string, labelOrName: string): Promise<Bucket | undefined> {
    const [row] = await this.sql<Bucket>(BY_NAME, [orgId, labelOrName]);
    return row;
  }

  /** For work without a caller. */
  async findById(id: string): Promise<Bucket | undefined> {
    const [row] = await this.sql<Bucket>(`SELECT ${COLUMNS} FROM buckets WHERE id = $1`, [id]);
    return row;
  }

  async findByLabel(label: string): Promise<Bucket | undefined> {
    const [row] = await this.sql<Bucket>(`SELECT ${COLUMNS} FROM buckets WHERE label = $1`, [label]);
    return row;
  }

  /** Locks a bucket until the running transaction ends. Objects can still be written. */
  async lock(orgIds: readonly string[], id: string): Promise<Bucket | undefined> {
    const [row] = await this.sql<Bucket>(
      `SELECT ${COLUMNS} FROM buckets WHERE org_id = ANY($1::text[]) AND id = $2 FOR NO KEY UPDATE`,
      [orgIds, id],
    );
    return row;
  }

  /**
   * Deletes a bucket without objects and uploads, and keeps what is still to be billed.
   *
   * @returns false when it has some, or is gone.
   */
  async deleteEmpty(id: string, now: Date): Promise<boolean> {
    await this.sql(`UPDATE buckets SET ${metered('$2')} WHERE id = $1`, [id, now]);
    const rows = await this.sql(
      `WITH gone AS (
         DELETE FROM buckets WHERE id = $1 AND object_count = 0 AND bytes = 0
           AND NOT EXISTS (SELECT FROM object_uploads WHERE bucket_id = $1)
         RETURNING id, org_id, project_id, bytes, ${METERED_COLUMNS})
       INSERT INTO deleted_buckets (id, org_id, project_id, bytes, ${METERED_COLUMNS}, deleted_at)
       SELECT gone.*, $2 FROM gone RETURNING id`,
      [id, now],
    );
    return rows.length > 0;
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
