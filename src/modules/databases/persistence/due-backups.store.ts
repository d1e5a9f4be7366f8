import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

const OF_HOST = `FROM databases
  LEFT JOIN database_archives archive ON archive.cluster_id = databases.cluster_id
  LEFT JOIN LATERAL (SELECT max(finished_at) AS at FROM database_backups
    WHERE cluster_id = databases.cluster_id AND state = 'ready') AS last ON true
  WHERE databases.host_id = $1 AND databases.state = 'ready' AND databases.engine = 'own'`;

/** Finds what a host has to back up. */
@Injectable()
export class DueBackupsStore {
  constructor(private readonly database: Database) {}

  /** Returns backups that wait for this host, the oldest first, but for those that are left out. */
  async pending(hostId: string, without: readonly string[], limit: number): Promise<{ id: string; attempt: number }[]> {
    return this.sql(
      `SELECT backup.id, backup.attempt FROM database_backups backup
       JOIN databases ON databases.cluster_id = backup.cluster_id
       WHERE databases.host_id = $1 AND databases.state = 'ready' AND backup.state = 'pending'
         AND NOT backup.id = ANY($2::text[])
       ORDER BY backup.id LIMIT $3`,
      [hostId, without, limit],
    );
  }

  /**
   * Returns databases that were used, and have no backup of which nothing is missing since this time, and those whose
   * log has become too much since their last backup.
   */
  async due(hostId: string, before: Date, limit: number): Promise<string[]> {
    const rows = await this.sql<{ clusterId: string }>(
      `SELECT databases.cluster_id AS "clusterId" ${OF_HOST}
         AND (archive.base_wanted_at > last.at OR archive.logged_at IS NOT NULL
           AND (last.at IS NULL OR last.at < $2 AND archive.logged_at > last.at
             OR archive.restorable_from IS NULL AND last.at < $2 + interval '23 hours'))
         AND NOT EXISTS (SELECT FROM database_backups WHERE cluster_id = databases.cluster_id
           AND (state = 'pending' OR state = 'failed' AND finished_at > $2))
       ORDER BY last.at NULLS FIRST LIMIT $3`,
      [hostId, before, limit],
    );
    return rows.map(({ clusterId }) => clusterId);
  }

  /** Returns the age of the oldest last backup among the databases that have changed since, in seconds. */
  async oldestSeconds(hostId: string, now: Date): Promise<number> {
    const [row] = await this.sql<{ seconds: number | null }>(
      `SELECT extract(epoch FROM $2::timestamptz - min(coalesce(last.at, databases.created_at)))::float8 AS seconds
       ${OF_HOST} AND archive.logged_at > coalesce(last.at, '-infinity')`,
      [hostId, now],
    );
    return Math.max(0, row?.seconds ?? 0);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
