import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Restriction } from '../database-engine.js';
import { ClusterHome, writeWhole } from './cluster-home.js';

/** What the service knows of a cluster beside its data. */
export interface ClusterRecord {
  /** The size of the database when it was created, in bytes. */
  readonly emptyBytes: string;
  /** The size at the last measurement, in bytes. */
  readonly bytes: string;
  readonly restriction: Restriction;
  /** The version of the guard that keeps readers from changing anything, if it has one. */
  readonly guard?: number;
}

const FILE = 'cluster.json';

/** A small file of the service beside the data of each cluster, so that the facts go where the data goes. */
@Injectable()
export class ClusterRecords {
  private readonly changes = new Map<string, Promise<void>>();

  constructor(private readonly home: ClusterHome) {}

  /** Returns undefined when there is no such cluster, or not all of it. */
  find(clusterId: string): Promise<ClusterRecord | undefined> {
    return this.in(this.home.directoryOf(clusterId));
  }

  async in(directory: string): Promise<ClusterRecord | undefined> {
    try {
      return JSON.parse(await readFile(join(directory, FILE), 'utf8')) as ClusterRecord;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Its presence makes a cluster complete, so it is written last. */
  write(directory: string, record: ClusterRecord): Promise<void> {
    return writeWhole(join(directory, FILE), `${JSON.stringify(record)}\n`);
  }

  /** Changes of a cluster happen one after another, so that none takes back what another has written. */
  change(clusterId: string, change: Partial<ClusterRecord>): Promise<void> {
    const before = this.changes.get(clusterId) ?? Promise.resolve();
    const changed = before.then(() => this.apply(clusterId, change));
    const ended = changed
      .catch(() => undefined)
      .then(() => {
        if (this.changes.get(clusterId) === ended) this.changes.delete(clusterId);
      });
    this.changes.set(clusterId, ended);
    return changed;
  }

  private async apply(clusterId: string, change: Partial<ClusterRecord>): Promise<void> {
    const known = await this.find(clusterId);
    if (known !== undefined) await this.write(this.home.directoryOf(clusterId), { ...known, ...change });
  }
}
