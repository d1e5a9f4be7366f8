import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Archive, StoredRange } from './backup-rows.js';

/** What is stored of the logs of clusters. */
@Injectable()
export class WalArchivesStore {
  constructor(private readonly database: Database) {}

  /** A range that is known already is not changed. */
  async addRange({ clusterId, timeline, first, last, bytes }: StoredRange, at: Date): Promise<void> {
    await this.sql(
      `INSERT INTO database_wal_ranges (cluster_id, timeline, first_segment, last_segment, bytes, stored_at)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (cluster_id, timeline, first_segment) DO NOTHING`,
      [clusterId, timeline, first, last, bytes, at],
    );
  }

  ranges(clusterIds: readonly string[]): Promise<StoredRange[]> {
    return this.sql(
      `SELECT cluster_id AS "clusterId", timeline, first_segment::float8 AS first, last_segment::float8 AS last,
         bytes::float8 AS bytes
       FROM database_wal_ranges WHERE cluster_id = ANY($1::text[]) ORDER BY cluster_id, timeline, first_segment`,
      [clusterIds],
    );
  }

  /** Returns the last stored segment of each timeline. */
  lastSegments(clusterId: string): Promise<{ timeline: number; last: number }[]> {
    return this.sql(
      `SELECT timeline, max(last_segment)::float8 AS last FROM database_wal_ranges WHERE cluster_id = $1
       GROUP BY timeline`,
      [clusterId],
    );
  }

  async deleteRange({ clusterId, timeline, first }: StoredRange): Promise<void> {
    await this.sql('DELETE FROM database_wal_ranges WHERE cluster_id = $1 AND timeline = $2 AND first_segment = $3', [
      clusterId,
      timeline,
      first,
    ]);
  }

  archives(clusterIds: readonly string[]): Promise<Archive[]> {
    return this.sql(
      `SELECT cluster_id AS "clusterId", complete_until AS "completeUntil", logged_at AS "loggedAt",
         restorable_from AS "restorableFrom"
       FROM database_archives WHERE cluster_id = ANY($1::text[])`,
      [clusterIds],
    );
  }

  /** @param loggedAt null when nothing was stored now. */
  async advance({ clusterId, completeUntil, loggedAt }: Omit<Archive, 'restorableFrom'>): Promise<void> {
    await this.sql(
      `INSERT INTO database_archives (cluster_id, complete_until, logged_at) VALUES ($1, $2, $3)
       ON CONFLICT (cluster_id) DO UPDATE SET
         complete_until = greatest(database_archives.complete_until, excluded.complete_until),
         logged_at = greatest(database_archives.logged_at, excluded.logged_at)`,
      [clusterId, completeUntil, loggedAt],
    );
  }

  /** Returns clusters that have backups or logs, and that no database has or is restored from any longer. */
  async withoutDatabase(limit: number): Promise<string[]> {
    const rows = await this.sql<{ id: string }>(
      `SELECT id FROM (SELECT cluster_id AS id FROM database_archives UNION SELECT cluster_id FROM database_backups
         UNION SELECT cluster_id FROM database_wal_ranges) AS stored
       WHERE NOT EXISTS (SELECT FROM databases WHERE cluster_id = stored.id)
         AND NOT EXISTS (SELECT FROM database_operations
           WHERE state IN ('pending', 'running') AND input ->> 'source_cluster_id' = stored.id)
       ORDER BY id LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns databases after this one that have backups, with their plans' organizations. */
  clustersOfDatabases(after: string, limit: number): Promise<{ clusterId: string; orgId: string }[]> {
    return this.sql(
      `SELECT cluster_id AS "clusterId", org_id AS "orgId" FROM databases WHERE cluster_id > $1
         AND EXISTS (SELECT FROM database_archives archive WHERE archive.cluster_id = databases.cluster_id)
       ORDER BY cluster_id LIMIT $2`,
      [after, limit],
    );
  }

  async setRestorableFrom(clusterId: string, from: Date | null): Promise<void> {
    await this.sql(
      `INSERT INTO database_archives (cluster_id, complete_until, restorable_from) VALUES ($1, 'epoch', $2)
       ON CONFLICT (cluster_id) DO UPDATE SET restorable_from = excluded.restorable_from`,
      [clusterId, from],
    );
  }

  /** @param baseWantedAt when the log since the last base was too much, or null. */
  async setStored(clusterId: string, bytes: number, baseWantedAt: Date | null): Promise<void> {
    await this.sql('UPDATE database_archives SET stored_bytes = $2, base_wanted_at = $3 WHERE cluster_id = $1', [
      clusterId,
      bytes,
      baseWantedAt,
    ]);
  }

  async deleteCluster(clusterId: string): Promise<void> {
    for (const table of ['database_backups', 'database_wal_ranges', 'database_archives'])
      await this.sql(`DELETE FROM ${table} WHERE cluster_id = $1`, [clusterId]);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
