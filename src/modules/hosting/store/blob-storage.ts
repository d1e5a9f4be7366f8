import type { Readable } from 'node:stream';

/** A blob to store. Its size is known beforehand, so that a storage can check that all of it has arrived. */
export interface BlobContent {
  readonly bytes: number;
  open(): Readable;
}

export interface StoredBlob {
  readonly key: string;
  readonly changedAt: Date;
}

/** A range that includes both ends, like a Range header. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Stores blobs under keys derived from their content, so that all writers of a key write the same bytes. A blob exists
 * with all its bytes or not at all.
 */
export abstract class BlobStorage {
  abstract put(key: string, content: BlobContent): Promise<void>;

  /** Returns true when the blob exists, and resets its age, so that garbage collection keeps it. */
  abstract refresh(key: string): Promise<boolean>;

  /** @throws {BlobMissing} */
  abstract get(key: string, range?: ByteRange): Promise<Readable>;

  /** Lists every blob, in no particular order. */
  abstract list(): AsyncIterable<StoredBlob>;

  /** Returns when the blob was written or refreshed, or null when it does not exist. */
  abstract changedAt(key: string): Promise<Date | null>;

  /** Deletes a blob. Deleting a missing blob is not an error. */
  abstract delete(key: string): Promise<void>;

  /** Removes the unfinished files of killed writers. */
  abstract tidy(): Promise<void>;
}

export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';

  constructor(key: string, options?: ErrorOptions) {
    super(`The blob ${key} is not in the store.`, options);
  }
}

const HASH = /^[0-9a-f]{64}$/;

export type Encoding = 'br' | 'gzip';

/** A key has the form `sha256/ab/cdef…`, with `.br` or `.gzip` for a compressed variant. */
export function keyOf(sha256: string, encoding?: Encoding): string {
  if (!HASH.test(sha256)) throw new Error('Not a SHA-256.');
  return `sha256/${sha256.slice(0, 2)}/${sha256.slice(2)}${encoding === undefined ? '' : `.${encoding}`}`;
}

const KEY = /^sha256\/([0-9a-f]{2})\/([0-9a-f]{62})(?:\.(?:br|gzip))?$/;

/** Returns the hash in a key, or undefined for anything else. */
export function hashOf(key: string): string | undefined {
  const parts = KEY.exec(key);
  return parts === null ? undefined : `${parts[1]}${parts[2]}`;
}
