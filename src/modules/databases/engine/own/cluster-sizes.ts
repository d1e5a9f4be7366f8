import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/time/clock.js';
import { ClustersStore } from '../../persistence/clusters.store.js';
import type { Measured } from '../database-engine.js';
import { readerResets } from '../read-only-guard.js';
import type { Cluster } from './cluster.js';
import { ClusterRecords } from './cluster-records.js';

const SIZE = "SELECT pg_database_size('app')::text AS bytes";
const RESETS = readerResets('reader', 'app');
/** The answer comes from a server that a tenant may control. */
const DIGITS = /^\d{1,15}$/;

/** Measures clusters, writes what each takes to its row, and takes back what readers have set for those after them. */
@Injectable()
export class ClusterSizes {
  constructor(
    private readonly records: ClusterRecords,
    private readonly clusters: ClustersStore,
    private readonly clock: Clock,
  ) {}

  /** Asks the server. A cluster that is frozen or sleeps has the size that it had before. */
  async measure(cluster: Cluster): Promise<Measured> {
    const bytes = cluster.isRunning && !cluster.isFrozen ? await this.ask(cluster) : undefined;
    if (bytes !== undefined) await this.records.change(cluster.id, { bytes });
    const record = await this.records.find(cluster.id);
    if (record === undefined) throw new Error('The cluster has no data on this host.');
    const measured = { bytes: BigInt(record.bytes), emptyBytes: BigInt(record.emptyBytes) };
    await this.clusters.resize({ clusterId: cluster.id, ...measured, measuredAt: this.clock.now() });
    return measured;
  }

  private async ask(cluster: Cluster): Promise<string> {
    const { rows } = await cluster.ask(async (client) => {
      for (const statement of RESETS) await client.query(statement);
      return client.query<{ bytes: unknown }>(SIZE);
    });
    const bytes = rows[0]?.bytes;
    if (typeof bytes !== 'string' || !DIGITS.test(bytes)) throw new Error('The size of a database is not a number.');
    return bytes;
  }
}
