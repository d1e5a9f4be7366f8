import { Injectable } from '@nestjs/common';
import { Log } from '../../../../platform/logging/log.js';
import { DatabaseUnavailable } from '../../databases.errors.js';
import { Cluster } from './cluster.js';
import { ClusterNews } from './cluster-news.js';
import { ClusterOpening } from './cluster-opening.js';
import { ClusterRoom } from './cluster-room.js';
import type { ClusterServer } from './cluster-server.js';
import { StartPauses } from './start-pauses.js';

/** The clusters of this host that were used since the process started. */
@Injectable()
export class Clusters {
  private readonly known = new Map<string, Cluster>();
  private readonly pauses = new StartPauses();
  private isClosed = false;

  constructor(
    private readonly opening: ClusterOpening,
    private readonly room: ClusterRoom,
    private readonly news: ClusterNews,
    private readonly log: Log,
  ) {}

  of(clusterId: string): Cluster {
    const known = this.known.get(clusterId);
    if (known !== undefined) return known;
    const cluster = new Cluster(clusterId, {
      start: () => this.start(clusterId),
      onCrash: (server) => {
        void this.crashed(clusterId, server);
      },
    });
    this.known.set(clusterId, cluster);
    return cluster;
  }

  get all(): Cluster[] {
    return [...this.known.values()];
  }

  get awake(): Cluster[] {
    return [...this.known.values()].filter(({ isAwake }) => isAwake);
  }

  /** Forgets a cluster that sleeps and that nobody uses. */
  forget(cluster: Cluster): void {
    if (!cluster.isAwake && cluster.isIdle) this.known.delete(cluster.id);
  }

  /** Stops all servers in order. No other is started. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled(this.awake.map((each) => each.stop()));
  }

  private async start(clusterId: string): Promise<ClusterServer> {
    const begunAtMs = performance.now();
    if (this.isClosed) throw new DatabaseUnavailable('This host is shutting down.');
    if (this.pauses.isPaused(clusterId)) throw new DatabaseUnavailable('The database did not start a moment ago.');
    await this.room.take(clusterId, () => this.awake);
    try {
      const server = await this.startInPlace(clusterId);
      this.news.woke(performance.now() - begunAtMs);
      void server.exited.then(() => {
        this.room.release(clusterId);
      });
      return server;
    } catch (error) {
      this.room.release(clusterId);
      throw error;
    }
  }

  private async startInPlace(clusterId: string): Promise<ClusterServer> {
    const input = await this.opening.inputOf(clusterId);
    try {
      const server = await this.opening.start(clusterId, input);
      this.pauses.succeeded(clusterId);
      server.onOutOfMemory(() => {
        this.news.crashed('memory');
        this.log.warn({ clusterId, cause: 'memory' }, 'Memory ran out in a database, and its sessions were ended.');
      });
      return server;
    } catch (error) {
      this.news.wakeFailed();
      if (error instanceof DatabaseUnavailable) throw error;
      this.pauses.failed(clusterId);
      this.log.error({ error, clusterId }, 'The server of a database did not start.');
      throw new DatabaseUnavailable('The database did not start.', { cause: error });
    }
  }

  private async crashed(clusterId: string, server: ClusterServer): Promise<void> {
    const { cause, exitStatus } = await server.exited;
    this.news.crashed(cause);
    this.log.warn({ clusterId, cause, exitStatus, output: server.lastLines }, 'The server of a database has ended.');
  }
}
