import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import type { Cluster } from './cluster.js';
import { ClusterSizes } from './cluster-sizes.js';

/** A query may run for minutes without a byte, and nothing would ever continue it. */
const BUSY = `
  SELECT count(*)::int AS busy FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND (backend_type IN ('autovacuum worker', 'parallel worker')
    OR backend_type = 'client backend' AND state IN ('active', 'fastpath function call'))`;
/** Nothing is archived while the server is frozen. */
const END_SEGMENT = 'SELECT pg_switch_wal()';
const WAITING = "SELECT count(*)::int AS waiting FROM pg_ls_archive_statusdir() WHERE name LIKE '%.ready'";
const ARCHIVE_LOOKS = 20;
const ARCHIVE_PAUSE_MS = 50;

/** Freezes a cluster that has nothing to do, after all that it has written is in the archive. */
@Injectable()
export class ClusterQuiet {
  constructor(private readonly sizes: ClusterSizes) {}

  async freeze(cluster: Cluster): Promise<void> {
    const { lastChangeMs } = cluster.connections;
    const mayFreeze = await cluster.ask((client) => isQuiet(client));
    if (!mayFreeze) {
      cluster.connections.touch();
      return;
    }
    // A frozen cluster keeps its size.
    await this.sizes.measure(cluster);
    // A statement may have begun since the server was asked.
    if (cluster.connections.lastChangeMs === lastChangeMs) await cluster.freeze();
  }
}

async function isQuiet(client: Client): Promise<boolean> {
  const { rows: counts } = await client.query<{ busy: number }>(BUSY);
  if (counts[0]?.busy !== 0) return false;
  await client.query(END_SEGMENT);
  for (let look = 0; look < ARCHIVE_LOOKS; look++) {
    const { rows } = await client.query<{ waiting: number }>(WAITING);
    if (rows[0]?.waiting === 0) return true;
    await sleep(ARCHIVE_PAUSE_MS);
  }
  return false;
}
