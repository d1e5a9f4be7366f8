import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BlobStorage, type ByteRange } from '../store/blob-storage.js';

const MAX_BYTES_IN_MEMORY = 64 * 1_048_576;
/**
 * Larger ones are read from the store each time. To send one of 1 MiB from memory costs a fraction of reading it along
 * the way, piece by piece (measured in `docs/benchmarks.md`); and a few large ones must not drive all others out.
 */
const MAX_BYTES_EACH = 4 * 1_048_576;
/** Up to here Node sends head and body as one string, in one piece and without a detour by streams. */
const MAX_BYTES_AS_TEXT = 16_384;

/**
 * The bytes of a blob; those of a small one as a string of latin1, a character for each. To be sent as `latin1` either
 * way.
 */
export type BlobContents = Buffer | string;

/** Blobs for answers: small ones that are asked for often stay in memory. */
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

  /** Whether it is better read whole and kept. */
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
