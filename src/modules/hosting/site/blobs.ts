import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BlobStorage, type ByteRange } from '../../../platform/blobs/blob-storage.js';

const MAX_BYTES_IN_MEMORY = 64 * 1_048_576;
/**
 * Larger blobs are read from the storage each time. Sending 1 MiB from memory costs a fraction of streaming it
 * (`docs/benchmarks.md`), but a few large blobs must not evict all others.
 */
const MAX_BYTES_EACH = 4 * 1_048_576;
/** Up to this size, Node sends head and body as one string, without a stream. */
const MAX_BYTES_AS_TEXT = 16_384;

/**
 * The bytes of a blob. A small blob is a latin1 string with one character for each byte. Send both as `latin1`.
 */
export type BlobContents = Buffer | string;

/** Provides blobs for answers. Small blobs that are requested often stay in memory. */
@Injectable()
export class Blobs {
  private readonly inMemory = new LRUCache<string, BlobContents>({
    maxSize: MAX_BYTES_IN_MEMORY,
    sizeCalculation: ({ length }) => length + 200,
  });
  private readonly reading = new Map<string, Promise<BlobContents>>();

  constructor(private readonly store: BlobStorage) {}

  known(key: string): BlobContents | undefined {
    return this.inMemory.get(key);
  }

  /** True when the blob is better read completely and kept. */
  isSmall(bytes: number): boolean {
    return bytes <= MAX_BYTES_EACH;
  }

  whole(key: string): Promise<BlobContents> {
    let reading = this.reading.get(key);
    if (reading === undefined) {
      reading = this.read(key).finally(() => {
        this.reading.delete(key);
      });
      this.reading.set(key, reading);
    }
    return reading;
  }

  stream(key: string, range?: ByteRange): Promise<Readable> {
    return this.store.get(key, range);
  }

  private async read(key: string): Promise<BlobContents> {
    const bytes = await buffer(await this.store.get(key));
    const content = bytes.length > MAX_BYTES_AS_TEXT ? bytes : bytes.toString('latin1');
    this.inMemory.set(key, content);
    return content;
  }
}
