import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Cluster } from '../engine/own/cluster.js';
import { Clusters } from '../engine/own/clusters.js';
import { SleepHooks } from '../engine/own/sleep-hooks.js';
import { BackupMetrics } from '../metrics/backup.metrics.js';
import { WalArchivesStore } from '../persistence/wal-archives.store.js';
import { WalDrain } from './wal-drain.js';

/** PostgreSQL ends a segment that holds something after 60 s, and archives it within a moment. */
const LOG_WAITS_MS = 75_000;

interface Known {
  drainedAtMs: number;
  wasFrozen: boolean;
}

/** Stores the logs of the databases that are awake on this host, and of those that go to sleep. */
@Injectable()
export class ArchiveLoop implements OnApplicationBootstrap {
  private readonly known = new Map<Cluster, Known>();

  constructor(
    private readonly clusters: Clusters,
    private readonly hooks: SleepHooks,
    private readonly drain: WalDrain,
    private readonly archives: WalArchivesStore,
    private readonly metrics: BackupMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    // All that was logged is in the archive then, and nothing more is logged until the next start.
    this.hooks.add({ afterStop: (clusterId) => this.store(clusterId, 0) });
  }

  /** Stores what the awake databases have logged since the last time. */
  async run(stopping: AbortSignal): Promise<void> {
    const { awake } = this.clusters;
    for (const cluster of this.known.keys()) if (!cluster.isAwake) this.known.delete(cluster);
    for (const cluster of awake) {
      if (stopping.aborted) return;
      await this.visit(cluster, stopping);
    }
    const oldestMs = Math.min(...[...this.known.values()].map(({ drainedAtMs }) => drainedAtMs), performance.now());
    this.metrics.archiveLag((performance.now() - oldestMs) / 1_000);
  }

  /** @param waitsMs how long a transaction may wait before it is in the archive. */
  async store(clusterId: string, waitsMs: number, signal?: AbortSignal): Promise<void> {
    const at = this.clock.now();
    const { stored, waiting } = await this.drain.run(clusterId, signal);
    if (!stored && waiting > 0) return;
    const completeUntil = new Date(waiting > 0 ? 0 : at.getTime() - waitsMs);
    await this.archives.advance({ clusterId, completeUntil, loggedAt: stored ? at : null });
  }

  /** {@link store} for a database that has stopped. What fails is stored when it is awake again. */
  async storeIfPossible(clusterId: string): Promise<void> {
    await this.store(clusterId, 0).catch((error: unknown) => {
      this.log.warn({ error, clusterId }, 'The log of a database could not be stored.');
    });
  }

  private async visit(cluster: Cluster, stopping: AbortSignal): Promise<void> {
    const known = this.known.get(cluster) ?? { drainedAtMs: performance.now(), wasFrozen: false };
    this.known.set(cluster, known);
    const { isFrozen, isRunning } = cluster;
    const nowMs = performance.now();
    // A frozen server logs nothing, and what it had logged was archived before.
    if (!isRunning || (isFrozen && known.wasFrozen)) {
      known.drainedAtMs = nowMs;
      return;
    }
    try {
      await this.store(cluster.id, LOG_WAITS_MS, stopping);
      Object.assign(known, { drainedAtMs: nowMs, wasFrozen: isFrozen });
    } catch (error) {
      if (stopping.aborted) return;
      this.log.warn({ error, clusterId: cluster.id }, 'The log of a database could not be stored.');
    }
  }
}
