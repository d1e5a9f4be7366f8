import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { DatabaseActivity } from './database-rows.js';

/** What a host reports of a cluster. */
export interface ClusterReport {
  readonly clusterId: string;
  readonly activity: DatabaseActivity;
  readonly connections: number;
  /** Null when it was not used since the last report. */
  readonly lastActiveAt: Date | null;
}

export interface ClusterSize {
  readonly clusterId: string;
  readonly bytes: bigint;
  readonly emptyBytes: bigint;
  readonly measuredAt: Date;
}

export interface ClusterDisk {
  readonly diskBytes: number;
  readonly undrainedBytes: number;
}

/** The rows of databases, as the host that keeps their data reads and writes them. */
@Injectable()
export class ClustersStore {
  constructor(private readonly database: Database) {}

  /** Returns the organization of the database whose data this is. */
  async orgOf(clusterId: string): Promise<string | undefined> {
    const [row] = await this.sql<{ org_id: string }>('SELECT org_id FROM databases WHERE cluster_id = $1', [clusterId]);
    return row?.org_id;
  }

  async report(reports: readonly ClusterReport[]): Promise<void> {
    if (reports.length === 0) return;
    await this.sql(
      `
      UPDATE databases SET activity = report.activity, connections = report.connections,
        last_active_at = greatest(databases.last_active_at, report."lastActiveAt")
      FROM jsonb_to_recordset($1::jsonb)
        AS report ("clusterId" text, activity text, connections int, "lastActiveAt" timestamptz)
      WHERE databases.cluster_id = report."clusterId"`,
      [JSON.stringify(reports)],
    );
  }

  /** What a killed host has reported is no longer true when it starts again. */
  async allAsleep(hostId: string): Promise<void> {
    await this.sql(
      `UPDATE databases SET activity = 'asleep', connections = 0
       WHERE host_id = $1 AND (activity <> 'asleep' OR connections <> 0)`,
      [hostId],
    );
  }

  async resize({ clusterId, bytes, emptyBytes, measuredAt }: ClusterSize): Promise<void> {
    const beyond = bytes > emptyBytes ? bytes - emptyBytes : 0n;
    await this.sql('UPDATE databases SET size_bytes = $2, empty_bytes = $3, measured_at = $4 WHERE cluster_id = $1', [
      clusterId,
      String(beyond),
      String(emptyBytes),
      measuredAt,
    ]);
  }

  /** Stores what a cluster takes of the disk of its host, and how much of its log is not stored yet. */
  async takes(clusterId: string, { diskBytes, undrainedBytes }: ClusterDisk): Promise<void> {
    await this.sql('UPDATE databases SET disk_bytes = $2, undrained_bytes = $3 WHERE cluster_id = $1', [
      clusterId,
      diskBytes,
      undrainedBytes,
    ]);
  }

  private sql<Row>(statement: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(statement, values);
  }
}
