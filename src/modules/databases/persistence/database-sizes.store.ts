import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { ReadOnlyCause } from './database-rows.js';

/** What decides whether a database may be written to. */
export interface SizedDatabase {
  readonly id: string;
  readonly orgId: string;
  readonly clusterId: string;
  readonly sizeBytes: bigint;
  /** What it takes of the disk of its host. */
  readonly diskBytes: bigint;
  /** Its log that is not stored yet. */
  readonly undrainedBytes: bigint;
  readonly because: ReadOnlyCause;
  readonly overrides: number;
  /** What its host has put in force, or null if that is not known of this cluster. */
  readonly restriction: string | null;
}

type SizeName = 'sizeBytes' | 'diskBytes' | 'undrainedBytes';

export interface MeteredDatabase {
  readonly orgId: string;
  readonly projectId: string | null;
  readonly name: string;
  readonly bytes: bigint;
}

/** Reads the sizes of databases, and stores what follows from them. */
@Injectable()
export class DatabaseSizesStore {
  constructor(private readonly database: Database) {}

  /** Returns the databases of a host that are ready, after this id, in the order of their ids. */
  async ofHost(hostId: string, after: string, limit: number): Promise<SizedDatabase[]> {
    const rows = await this.query<Omit<SizedDatabase, SizeName> & Record<SizeName, string>>(
      `SELECT id, org_id AS "orgId", cluster_id AS "clusterId", size_bytes AS "sizeBytes",
         disk_bytes AS "diskBytes", undrained_bytes AS "undrainedBytes",
         read_only_because AS because, overrides,
         CASE WHEN restricted_cluster_id = cluster_id THEN restriction END AS restriction
       FROM databases WHERE host_id = $1 AND state = 'ready' AND id > $2 ORDER BY id LIMIT $3`,
      [hostId, after, limit],
    );
    return rows.map((row) => ({
      ...row,
      sizeBytes: BigInt(row.sizeBytes),
      diskBytes: BigInt(row.diskBytes),
      undrainedBytes: BigInt(row.undrainedBytes),
    }));
  }

  /** Stores what was decided. False when the database has changed meanwhile, so that it does not apply. */
  async decide(
    { id, clusterId }: Pick<SizedDatabase, 'id' | 'clusterId'>,
    { because, overrides }: Pick<SizedDatabase, 'because' | 'overrides'>,
  ): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `UPDATE databases SET read_only_because = $3, overrides = $4
       WHERE id = $1 AND cluster_id = $2 AND state = 'ready'`,
      [id, clusterId, because, overrides],
    );
    return count > 0;
  }

  /** Records that the host puts something else in force in a cluster, and that it is not known what until it has. */
  async restricting({ id, clusterId }: Pick<SizedDatabase, 'id' | 'clusterId'>): Promise<void> {
    await this.query('UPDATE databases SET restricted_cluster_id = NULL WHERE id = $1 AND cluster_id = $2', [
      id,
      clusterId,
    ]);
  }

  /** Records what the host has put in force in a cluster. */
  async restricted({ id, clusterId }: Pick<SizedDatabase, 'id' | 'clusterId'>, restriction: string): Promise<void> {
    await this.query(
      'UPDATE databases SET restriction = $3, restricted_cluster_id = $2 WHERE id = $1 AND cluster_id = $2',
      [id, clusterId, restriction],
    );
  }

  /** Counts sessions that were ended because they went on writing. */
  async overridden({ id, clusterId }: Pick<SizedDatabase, 'id' | 'clusterId'>): Promise<void> {
    await this.query('UPDATE databases SET overrides = overrides + 1 WHERE id = $1 AND cluster_id = $2', [
      id,
      clusterId,
    ]);
  }

  /** Counts the databases that refuse writes, by the reason. */
  async readOnly(): Promise<{ because: NonNullable<ReadOnlyCause>; count: number }[]> {
    return this.query(
      `SELECT read_only_because AS because, count(*)::int AS count FROM databases
       WHERE state = 'ready' AND read_only_because IS NOT NULL GROUP BY read_only_because`,
      [],
    );
  }

  /** Returns what all databases together take: their data, the disks of their hosts, and their backups. */
  async totals(): Promise<{ data: number; disk: number; undrained: number; backups: number; largestBackups: number }> {
    const [row] = await this.query<{
      data: number;
      disk: number;
      undrained: number;
      backups: number;
      largestBackups: number;
    }>(
      `SELECT kept.*, stored.* FROM
         (SELECT coalesce(sum(size_bytes), 0)::float8 AS data, coalesce(sum(disk_bytes), 0)::float8 AS disk,
            coalesce(sum(undrained_bytes), 0)::float8 AS undrained FROM databases WHERE state <> 'deleted') AS kept,
         (SELECT coalesce(sum(stored_bytes), 0)::float8 AS backups,
            coalesce(max(stored_bytes), 0)::float8 AS "largestBackups" FROM database_archives) AS stored`,
      [],
    );
    return row!;
  }

  /** Returns what is billed at the moment. Empty databases are left out. */
  async metered(): Promise<MeteredDatabase[]> {
    const rows = await this.query<Omit<MeteredDatabase, 'bytes'> & { bytes: string }>(
      `SELECT org_id AS "orgId", project_id AS "projectId", id AS name, size_bytes AS bytes FROM databases
       WHERE deleted_at IS NULL AND size_bytes > 0`,
      [],
    );
    return rows.map((row) => ({ ...row, bytes: BigInt(row.bytes) }));
  }

  private query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
