import { Injectable } from '@nestjs/common';
import { usableMemoryBytes } from '../../../../platform/config/usable-memory.js';
import { DatabaseUnavailable } from '../../databases.errors.js';
import { DatabasesSettings } from '../../databases.settings.js';
import type { Cluster } from './cluster.js';
import { ClusterSleep } from './cluster-sleep.js';

const MEBIBYTE = 1_048_576;
/** A sleeping machine needs less for each, and a busy one more. */
const MEMORY_OF_EACH = 64 * MEBIBYTE;
/** The rest of the machine is for apps, builds and the service. */
const SHARE = 0.5;
const LEAST = 8;

/** The places for awake clusters on this machine. */
@Injectable()
export class ClusterRoom {
  private readonly taken = new Set<string>();
  private readonly leaving = new Set<Promise<void>>();

  constructor(
    private readonly settings: DatabasesSettings,
    private readonly sleeping: ClusterSleep,
  ) {}

  get places(): number {
    return this.settings.maxAwake ?? Math.max(LEAST, Math.floor((usableMemoryBytes() * SHARE) / MEMORY_OF_EACH));
  }

  /**
   * Takes a place for a cluster. When there is none, the one that no client has used for longest is stopped first.
   * @throws {DatabaseUnavailable} when all others are in use.
   */
  async take(clusterId: string, awake: () => readonly Cluster[]): Promise<void> {
    while (this.taken.size >= this.places) {
      const [idlest] = awake()
        .filter(({ isIdle, isRunning }) => isIdle && isRunning)
        .sort((one, other) => other.idleMs - one.idleMs);
      if (idlest !== undefined) this.leave(idlest);
      else if (this.leaving.size === 0) throw new DatabaseUnavailable('All places for databases are taken.');
      await Promise.race(this.leaving);
    }
    this.taken.add(clusterId);
  }

  release(clusterId: string): void {
    this.taken.delete(clusterId);
  }

  private leave(cluster: Cluster): void {
    const leaving = this.sleeping.ifIdle(cluster).finally(() => {
      this.leaving.delete(leaving);
    });
    this.leaving.add(leaving);
  }
}
