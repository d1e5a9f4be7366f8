import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { StoredObject } from '../persistence/bucket-rows.js';
import { type ObjectAddress, ObjectLookupsStore, type ObjectVersion } from '../persistence/object-lookups.store.js';
import { ObjectReads } from './object-reads.js';

const MEMORY_BYTES = 64 * 1_048_576;
/** Larger objects are read from the storage each time. */
const SMALL_BYTES = 262_144;
/** What a row takes, with metadata of the largest size. */
const ROW_BYTES = 4_096;

interface Remembered extends ObjectVersion {
  bytes: Buffer | undefined;
}

export interface LocatedObject {
  readonly bucketId: string;
  readonly object: StoredObject | undefined;
}

/**
 * Keeps rows and bytes of small objects that were read lately. What is kept is only used after the database has
 * confirmed its version, in a query that the read itself asks for, so that no read misses a write that was answered
 * before (docs/decisions/0106-reads-of-objects.md).
 */
@Injectable()
export class RecentObjects {
  private readonly memory = new LRUCache<string, Remembered>({
    maxSize: MEMORY_BYTES,
    sizeCalculation: ({ bytes }, name) => ROW_BYTES + 2 * name.length + (bytes?.length ?? 0),
  });

  constructor(
    private readonly lookups: ObjectLookupsStore,
    private readonly reads: ObjectReads,
  ) {}

  /** How many bytes are kept. */
  get sizeBytes(): number {
    return this.memory.calculatedSize;
  }

  /** Finds an object as it is now. Undefined when there is no such bucket. */
  async locate(address: ObjectAddress): Promise<LocatedObject | undefined> {
    const name = nameOf(address);
    const known = this.memory.get(name);
    const located = await this.lookups.locate(address, known);
    const found = located?.found;
    if (found === undefined) this.memory.delete(name);
    else if (found !== known) this.memory.set(name, { ...found, bytes: undefined });
    return located && { bucketId: located.bucketId, object: found?.object };
  }

  /** Returns all bytes of an object that was located, or undefined when it is not small. @throws {BlobMissing} */
  async bytesOf(address: ObjectAddress, object: StoredObject): Promise<Buffer | undefined> {
    if (object.size > SMALL_BYTES) return undefined;
    const name = nameOf(address);
    const known = this.memory.peek(name);
    if (known?.object.revision === object.revision && known.bytes !== undefined) return known.bytes;
    const bytes = await this.reads.bytesOf(object);
    const current = this.memory.peek(name);
    // The bytes of a write never change, but another may have taken its place meanwhile.
    if (current?.object.revision === object.revision) this.memory.set(name, { ...current, bytes });
    return bytes;
  }
}

const nameOf = ({ orgId, bucketName, key }: ObjectAddress): string => `${orgId}/${bucketName}/${key}`;
