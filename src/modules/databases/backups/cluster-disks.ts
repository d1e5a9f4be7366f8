import { Injectable } from '@nestjs/common';
import { type ClusterDisk, ClustersStore } from '../persistence/clusters.store.js';

/** Smaller changes are not written. */
const STEP_BYTES = 16 * 1_048_576;

/**
 * Writes what clusters take of the disk to their rows. It is counted by a program beside the server and not by the
 * server, which a tenant may control.
 */
@Injectable()
export class ClusterDisks {
  private readonly written = new Map<string, string>();

  constructor(private readonly clusters: ClustersStore) {}

  async measured(clusterId: string, disk: ClusterDisk): Promise<void> {
    const steps = `${Math.floor(disk.diskBytes / STEP_BYTES)} ${Math.floor(disk.undrainedBytes / STEP_BYTES)}`;
    if (this.written.get(clusterId) === steps) return;
    await this.clusters.takes(clusterId, disk);
    this.written.set(clusterId, steps);
  }
}
