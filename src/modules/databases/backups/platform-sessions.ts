import { Injectable } from '@nestjs/common';
import { Clusters } from '../engine/own/clusters.js';

/** Runs a statement, and returns its rows. */
export type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** A checkpoint of a large database takes minutes. */
const STATEMENT_WITHIN_MS = 600_000;
/** The files of a large database are copied meanwhile, and who copies them ends it sooner where it must. */
const SESSION_WITHIN_MS = 12 * 3_600_000;

/** Sessions of the service itself in the servers of clusters. */
@Injectable()
export class PlatformSessions {
  constructor(private readonly clusters: Clusters) {}

  /** Wakes the database, keeps it awake, and runs `work` in one session. */
  run<Result>(clusterId: string, work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.clusters.of(clusterId).hold((server) =>
      server.asPlatform(
        (client) =>
          work(async <Row extends object>(text: string, values: readonly unknown[] = []) => {
            const query = { text, values: values.slice(), query_timeout: STATEMENT_WITHIN_MS };
            return (await client.query<Row>(query)).rows;
          }),
        { withinMs: SESSION_WITHIN_MS },
      ),
    );
  }
}

/** Ends with {@link endOfBackup} in the same session. The checkpoint does not take its time. */
export const BEGIN_BACKUP = "SELECT pg_backup_start('service', true)";

/** Returns where the log of a backup ends, and its label. @throws {Error} for what no PostgreSQL answers. */
export async function endOfBackup(query: Query): Promise<{ lsn: string; label: string }> {
  const [end] = await query<{ lsn: unknown; label: unknown }>(
    'SELECT lsn::text, labelfile AS label FROM pg_backup_stop(false)',
  );
  if (typeof end?.lsn !== 'string' || typeof end.label !== 'string') throw new Error('A backup has no end.');
  return { lsn: end.lsn, label: end.label };
}
