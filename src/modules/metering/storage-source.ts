import { Injectable } from '@nestjs/common';
import type { StorageMeter } from './meter.js';

/** How many bytes something stores at the moment. */
export interface StoredBytes {
  readonly meter: StorageMeter;
  readonly orgId: string;
  readonly projectId: string | null;
  /** The name of the database or bucket. It never changes and is unique within the source. */
  readonly name: string;
  readonly bytes: bigint;
}

/** Measures everything of one kind that is stored for organizations. It is asked once an hour. */
export abstract class StorageSource {
  /** The name is part of the identity of the recorded events, so it must never change. */
  abstract readonly name: string;

  abstract measure(): Promise<readonly StoredBytes[]>;
}

/** Modules that store something metered add their source when the process starts. */
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
