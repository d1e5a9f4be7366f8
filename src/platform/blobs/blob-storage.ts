import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** A blob to store. Its size is known beforehand, so that a storage can check that all of it has arrived. */
export interface BlobContent {
  readonly bytes: number;
  open(): Readable;
  /** The same as {@link open} opens, for a storage that needs no stream. */
  pieces?(): AsyncIterable<Buffer>;
  /** The same, when all of it is in memory anyway, so that it can be sent again. */
  readonly whole?: Buffer;
  /** True when nobody else writes this key, and nobody reads it before it is stored. */
  readonly isNew?: boolean;
}

/** Returns the content of a blob that is in memory. */
export const contentOf = (whole: Buffer): BlobContent => ({
  bytes: whole.length,
  open: () => Readable.from([whole], { objectMode: false }),
  whole,
});

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
 * Stores blobs under keys. A blob exists with all its bytes or not at all, and is never changed: all writers of a key
 * must write the same bytes.
 */
export abstract class BlobStorage {
  abstract put(key: string, content: BlobContent): Promise<void>;

  /** Returns true when the blob exists, and resets its age, so that garbage collection keeps it. */
  abstract refresh(key: string): Promise<boolean>;

  /** @throws {BlobMissing} */
  abstract get(key: string, range?: ByteRange): Promise<Readable>;

  /** Returns a small blob of this size. @throws {BlobMissing} @throws {Error} when it has another size. */
  async read(key: string, bytes: number): Promise<Buffer> {
    const content = await buffer(await this.get(key));
    if (content.length !== bytes) throw new Error(`A blob of ${bytes} bytes has ${content.length}.`);
    return content;
  }

  /** Lists every blob below a prefix, such as `sha256/`, in no particular order. */
  abstract list(prefix: string): AsyncIterable<StoredBlob>;

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

const KEY = /^[a-z0-9_]+(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+$/;

/** @throws {Error} when the text is not a key: names with slashes between, none of which begins with a dot. */
export function requireKey(key: string): void {
  if (!KEY.test(key)) throw new Error('Not a key.');
}
