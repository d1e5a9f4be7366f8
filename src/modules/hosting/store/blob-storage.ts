import type { Readable } from 'node:stream';

/** What is to be stored: known in full beforehand, so that a store can tell whether all of it has arrived. */
export interface BlobContent {
  readonly bytes: number;
  open(): Readable;
}

export interface StoredBlob {
  readonly key: string;
  readonly changedAt: Date;
}

/** Both ends are included, as in a Range header. */
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

  /** Every blob, in no order. */
  abstract list(): AsyncIterable<StoredBlob>;

  /** When it was written or refreshed; null when it is not there. */
  abstract changedAt(key: string): Promise<Date | null>;

  /** One that is not there is no fault. */
  abstract delete(key: string): Promise<void>;

  /** Removes what killed writers have left behind. */
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

/** `sha256/ab/cdef…`, with `.br` or `.gzip` for a compressed variant. */
export function keyOf(sha256: string, encoding?: Encoding): string {
  if (!HASH.test(sha256)) throw new Error('Not a SHA-256.');
  return `sha256/${sha256.slice(0, 2)}/${sha256.slice(2)}${encoding === undefined ? '' : `.${encoding}`}`;
}

const KEY = /^sha256\/([0-9a-f]{2})\/([0-9a-f]{62})(?:\.(?:br|gzip))?$/;

/** The hash that a key is made of; undefined for anything that is no key. */
export function hashOf(key: string): string | undefined {
  const parts = KEY.exec(key);
  return parts === null ? undefined : `${parts[1]}${parts[2]}`;
}
