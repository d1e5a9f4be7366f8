import { Injectable } from '@nestjs/common';
import type { StorageMeter } from './meter.js';

/** How much is kept of something at this moment. */
export interface StoredBytes {
  readonly meter: StorageMeter;
  readonly orgId: string;
  readonly projectId: string | null;
  /** What it is that is kept, a database or a bucket: always the same, and of this source alone. */
  readonly name: string;
  readonly bytes: bigint;
}

/** Knows what is kept for organizations, of one kind, and can measure all of it. Asked once an hour. */
export abstract class StorageSource {
  /** Part of the identity of what is recorded: it must never change. */
  abstract readonly name: string;

  abstract measure(): Promise<readonly StoredBytes[]>;
}

/** Whoever keeps something that is metered adds its source as the process starts. */
@Injectable()
export class StorageSources {
  private readonly sources: StorageSource[] = [];

  add(source: StorageSource): void {
    this.sources.push(source);
  }

  get all(): readonly StorageSource[] {
    return this.sources;
  }
}
