import { Injectable } from '@nestjs/common';
import { Log } from '../../../../platform/logging/log.js';
import { DatabasesSettings } from '../../databases.settings.js';
import type { Cluster } from './cluster.js';
import { ClusterQuiet } from './cluster-quiet.js';
import { ClusterSleep } from './cluster-sleep.js';
import { Clusters } from './clusters.js';

/** How often in a period the clusters are looked at. */
const LOOKS = 4;
const LONGEST_PAUSE_MS = 1_000;

/** Freezes clusters without traffic, and stops those without connections. */
@Injectable()
export class ClusterRest {
  private timer: NodeJS.Timeout | undefined;
  private readonly resting = new Map<Cluster, Promise<void>>();

  constructor(
    private readonly clusters: Clusters,
    private readonly sleeping: ClusterSleep,
    private readonly quiet: ClusterQuiet,
    private readonly settings: DatabasesSettings,
    private readonly log: Log,
  ) {}

  start(): void {
    const { freezeAfterMs, sleepAfterMs } = this.settings;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, freezeAfterMs / LOOKS, sleepAfterMs / LOOKS);
    this.timer = setInterval(() => {
      this.look();
    }, pauseMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.resting.values());
  }

  private look(): void {
    for (const cluster of this.clusters.awake) {
      if (this.resting.has(cluster)) continue;
      const work = this.dueWork(cluster);
      if (work === undefined) continue;
      const resting = work()
        .catch((error: unknown) => {
          this.log.warn({ error, clusterId: cluster.id }, 'A database could not be laid to rest.');
        })
        .finally(() => {
          this.resting.delete(cluster);
        });
      this.resting.set(cluster, resting);
    }
  }

  private dueWork(cluster: Cluster): (() => Promise<void>) | undefined {
    const { freezeAfterMs, sleepAfterMs } = this.settings;
    if (!cluster.isRunning || cluster.hasWork) return undefined;
    // A cluster that is only measured has no connections.
    if (cluster.connections.count === 0 && cluster.idleMs >= sleepAfterMs) return () => this.sleeping.ifIdle(cluster);
    if (!cluster.isFrozen && cluster.connections.quietMs >= freezeAfterMs) return () => this.quiet.freeze(cluster);
    return undefined;
  }
}
