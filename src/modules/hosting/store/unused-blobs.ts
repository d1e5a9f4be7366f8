import { Injectable } from '@nestjs/common';
import { hashesOf, readManifest } from '../ingest/manifest.js';
import { StoreLock } from '../persistence/store-lock.js';
import { BlobStorage } from '../../../platform/blobs/blob-storage.js';
import { CONTENT_PREFIX, hashOf } from './content-keys.js';

/** Deleting a batch takes milliseconds, and ingests wait for at most one batch. */
const BATCH = 200;
/** Nothing is deleted while an ingest runs. Blobs that remain are deleted by the next collection. */
const TRIES = 40;
const RETRY_MS = 250;

/** Finds and deletes the blobs that no deploy uses. */
@Injectable()
export class UnusedBlobs {
  constructor(
    private readonly storage: BlobStorage,
    private readonly lock: StoreLock,
  ) {}

  /** Returns the hashes of all blobs that a deploy uses, including the manifest itself. */
  async usedBy(manifest: string): Promise<string[]> {
    return [manifest, ...hashesOf(await readManifest(this.storage, manifest))];
  }

  /** Deletes the unused blobs that were last written or refreshed before this time, and returns their number. */
  async delete(used: ReadonlySet<string>, beforeMs: number): Promise<number> {
    let deleted = 0;
    let batch: string[] = [];
    const flush = async (): Promise<void> => {
      deleted += await this.deleteAll(batch, beforeMs);
      batch = [];
    };
    for await (const { key, changedAt } of this.storage.list(CONTENT_PREFIX)) {
      const hash = hashOf(key);
      if (hash === undefined || used.has(hash) || changedAt.getTime() >= beforeMs) continue;
      batch.push(key);
      if (batch.length === BATCH) await flush();
    }
    await flush();
    await this.storage.tidy();
    return deleted;
  }

  private async deleteAll(keys: readonly string[], beforeMs: number): Promise<number> {
    if (keys.length === 0) return 0;
    for (let tries = 0; tries < TRIES; tries++) {
      const deleted = await this.lock.unlessAdding(() => this.deleteOld(keys, beforeMs));
      if (deleted !== undefined) return deleted;
      await new Promise((resolve) => {
        setTimeout(resolve, RETRY_MS).unref();
      });
    }
    return 0;
  }

  /** Checks each age again under the lock, because an ingest may have refreshed the blob since it was listed. */
  private async deleteOld(keys: readonly string[], beforeMs: number): Promise<number> {
    let deleted = 0;
    for (const key of keys) {
      const changedAt = await this.storage.changedAt(key);
      if (changedAt === null || changedAt.getTime() >= beforeMs) continue;
      await this.storage.delete(key);
      deleted++;
    }
    return deleted;
  }
}
