import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { Backup, StoredBase } from './backup-rows.js';

const COLUMNS = `
  id, cluster_id AS "clusterId", kind, state, attempt, part_bytes AS "partBytes", created_at AS "createdAt",
  finished_at AS "finishedAt"`;

/** The numbers of segments are exact as floating-point numbers for exabytes of log. */
const BASE_COLUMNS = `
  id, cluster_id AS "clusterId", attempt, timeline, start_segment::float8 AS "startSegment",
  stop_segment::float8 AS "stopSegment", label, part_bytes AS "partBytes", finished_at AS "finishedAt"`;

type NewBackup = Pick<Backup, 'id' | 'clusterId' | 'kind' | 'createdAt'>;

@Injectable()
export class DatabaseBackupsStore {
  constructor(private readonly database: Database) {}

  async insert({ id, clusterId, kind, createdAt }: NewBackup): Promise<Backup> {
    const [backup] = await this.sql<Backup>(
      `INSERT INTO database_backups (id, cluster_id, kind, state, attempt, part_bytes, created_at)
       VALUES ($1, $2, $3, 'pending', 0, '{}', $4) RETURNING ${COLUMNS}`,
      [id, clusterId, kind, createdAt],
    );
    return backup!;
  }

  async findPending(clusterId: string): Promise<Backup | undefined> {
    const [backup] = await this.sql<Backup>(
      `SELECT ${COLUMNS} FROM database_backups WHERE cluster_id = $1 AND state = 'pending' ORDER BY id LIMIT 1`,
      [clusterId],
    );
    return backup;
  }

  /** Counts another attempt. Returns undefined when the backup is over or gone. */
  async begin(id: string): Promise<Backup | undefined> {
    const [rows] = await this.database.manager.query<[Backup[], number]>(
      `UPDATE database_backups SET attempt = attempt + 1 WHERE id = $1 AND state = 'pending' RETURNING ${COLUMNS}`,
      [id],
    );
    return rows[0];
  }

  /** Does nothing when another attempt has begun since. */
  async finish({
    id,
    attempt,
    timeline,
    startSegment,
    stopSegment,
    label,
    partBytes,
    finishedAt,
  }: StoredBase): Promise<void> {
    await this.sql(
      `UPDATE database_backups SET state = 'ready', timeline = $3, start_segment = $4, stop_segment = $5, label = $6,
         part_bytes = $7, finished_at = $8
       WHERE id = $1 AND attempt = $2 AND state = 'pending'`,
      [id, attempt, timeline, startSegment, stopSegment, label, partBytes, finishedAt],
    );
  }

  async fail(id: string, at: Date): Promise<void> {
    await this.sql(
      "UPDATE database_backups SET state = 'failed', finished_at = $2 WHERE id = $1 AND state = 'pending'",
      [id, at],
    );
  }

  /** Newest first. */
  async list(clusterId: string, page: PageRequest): Promise<Page<Backup>> {
    const rows = await this.sql<Backup>(
      `SELECT ${COLUMNS} FROM database_backups
       WHERE cluster_id = $1 AND state <> 'expired' AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [clusterId, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  bases(clusterIds: readonly string[]): Promise<StoredBase[]> {
    return this.sql(
      `SELECT ${BASE_COLUMNS} FROM database_backups
       WHERE cluster_id = ANY($1::text[]) AND state = 'ready' ORDER BY finished_at`,
      [clusterIds],
    );
  }

  /** Nothing is restored from them any more, and nobody sees them. */
  async expire(ids: readonly string[]): Promise<void> {
    await this.sql("UPDATE database_backups SET state = 'expired' WHERE id = ANY($1::text[]) AND state = 'ready'", [
      ids,
    ]);
  }

  /** Returns expired backups, and those from before a time that failed or were given up. */
  leftovers(clusterId: string, before: Date): Promise<{ id: string }[]> {
    return this.sql(
      `SELECT id FROM database_backups
       WHERE cluster_id = $1 AND (state = 'expired' OR state <> 'ready' AND created_at < $2)`,
      [clusterId, before],
    );
  }

  async delete(id: string): Promise<void> {
    await this.sql('DELETE FROM database_backups WHERE id = $1', [id]);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
