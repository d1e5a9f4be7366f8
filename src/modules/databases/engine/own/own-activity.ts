import { readdirSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../../platform/logging/log.js';
import type { ClusterActivity } from '../hosted-engine.js';
import { ClusterHome } from './cluster-home.js';
import { ClusterSizes } from './cluster-sizes.js';
import { Clusters } from './clusters.js';

/** What the clusters of this host do, for its reports. */
@Injectable()
export class OwnActivity {
  constructor(
    private readonly clusters: Clusters,
    private readonly home: ClusterHome,
    private readonly sizes: ClusterSizes,
    private readonly log: Log,
  ) {}

  get all(): ClusterActivity[] {
    return this.clusters.all.map(({ id, activity, connections }) => ({
      clusterId: id,
      activity,
      connections: connections.count,
      quietMs: connections.quietMs,
    }));
  }

  get count(): number {
    return this.home.hostId === undefined ? 0 : readdirSync(this.home.clusters).length;
  }

  async measure(): Promise<void> {
    for (const cluster of this.clusters.awake)
      if (cluster.isRunning && !cluster.isFrozen)
        await this.sizes.measure(cluster).catch((error: unknown) => {
          this.log.warn({ error, clusterId: cluster.id }, 'A database could not be measured.');
        });
  }

  forget(clusterId: string): void {
    this.clusters.forget(this.clusters.of(clusterId));
  }
}
