import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { ClusterActivity } from '../hosted-engine.js';

/** Traffic within this time is activity. */
const ACTIVE_MS = 10_000;

/** The connections of this process to databases on the operator's server. */
@Injectable()
export class TenantConnections {
  private readonly open = new Map<string, Set<Duplex>>();
  private readonly usedAtMs = new Map<string, number>();

  add(clusterId: string, connection: Duplex): void {
    const all = this.open.get(clusterId) ?? new Set();
    this.open.set(clusterId, all.add(connection));
    this.used(clusterId);
    connection.once('close', () => {
      all.delete(connection);
      this.used(clusterId);
    });
  }

  get activities(): ClusterActivity[] {
    return [...this.open].map(([clusterId, { size }]) => {
      const quietMs = performance.now() - (this.usedAtMs.get(clusterId) ?? 0);
      const awake = quietMs < ACTIVE_MS ? 'active' : 'idle';
      return { clusterId, activity: size > 0 ? awake : 'asleep', connections: size, quietMs };
    });
  }

  forget(clusterId: string): void {
    if (this.open.get(clusterId)?.size !== 0) return;
    this.open.delete(clusterId);
    this.usedAtMs.delete(clusterId);
  }

  endAll(): void {
    for (const all of this.open.values()) for (const each of all) each.destroy();
  }

  private used(clusterId: string): void {
    this.usedAtMs.set(clusterId, performance.now());
  }
}
