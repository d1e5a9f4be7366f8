import { Injectable } from '@nestjs/common';
import { Log } from '../../../../platform/logging/log.js';
import type { Cluster } from './cluster.js';
import { ClusterSizes } from './cluster-sizes.js';
import { SleepHooks } from './sleep-hooks.js';

/** Stops the servers of clusters, with what belongs to that. */
@Injectable()
export class ClusterSleep {
  constructor(
    private readonly sizes: ClusterSizes,
    private readonly hooks: SleepHooks,
    private readonly log: Log,
  ) {}

  /** Stops a cluster without users, unless one comes meanwhile. */
  async ifIdle(cluster: Cluster): Promise<void> {
    await this.prepare(cluster);
    if (cluster.isIdle && cluster.isRunning) await this.stop(cluster);
  }

  /** Stops a cluster. Open connections end. */
  async now(cluster: Cluster): Promise<void> {
    if (!cluster.isAwake) return;
    await this.prepare(cluster);
    await this.stop(cluster);
  }

  private async prepare(cluster: Cluster): Promise<void> {
    await this.attempt(() => this.sizes.measure(cluster));
    await this.attempt(() => this.hooks.beforeSleep(cluster.id));
  }

  private stop(cluster: Cluster): Promise<void> {
    return cluster.whileStopped(() => this.attempt(() => this.hooks.afterStop(cluster.id)));
  }

  /** A database sleeps although something around it fails, or its memory would never be free. */
  private async attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.log.warn({ error }, 'A step before the sleep of a database failed.');
    }
  }
}
