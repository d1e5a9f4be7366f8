import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { ByteRange } from '../../../platform/blobs/blob-storage.js';
import { violatedReferenceOf } from '../../../platform/database/violated-constraint.js';
import { requireObjectKey } from '../domain/object-keys.js';
import { BucketNotFound, ObjectContended, ObjectNotFound } from '../objects.errors.js';
import type { Bucket, ObjectFacts, StoredObject } from '../persistence/bucket-rows.js';
import { ObjectsStore } from '../persistence/objects.store.js';
import { ObjectReads } from '../reads/object-reads.js';
import type { ObjectBody } from '../writes/object-body.js';
import { ObjectWrites, type WrittenBytes } from '../writes/object-writes.js';
import { requireConditions, type WriteConditions } from './object-conditions.js';

/** Writers of one key that change it at once each get a turn within so many attempts. */
const ATTEMPTS = 50;

export interface PutObjectInput {
  readonly facts: ObjectFacts;
  readonly body: ObjectBody;
  readonly conditions?: WriteConditions;
  /** What the key has, as it was read for this write. Null for nothing, and undefined when it was not read. */
  readonly earlier?: StoredObject | null;
}

export type BucketOfObject = Pick<Bucket, 'id' | 'orgId'>;

/** Reads and writes whole objects. Callers have been admitted to the bucket. */
@Injectable()
export class ObjectsService {
  constructor(
    private readonly objects: ObjectsStore,
    private readonly writes: ObjectWrites,
    private readonly reads: ObjectReads,
  ) {}

  /**
   * @throws {ObjectNotFound} `object_not_found`
   * @throws {InvalidKey} `invalid_key`
   */
  async get({ id }: BucketOfObject, key: string): Promise<StoredObject> {
    const object = await this.objects.find(id, requireObjectKey(key));
    if (object === undefined) throw new ObjectNotFound();
    return object;
  }

  /** Opens the bytes of an object, or those of a range that lies in it. */
  open(object: StoredObject, range?: ByteRange): Promise<Readable> {
    return this.reads.open(object, range);
  }

  /** The same as {@link open} opens, which happens when they are read. */
  bytes(object: StoredObject, range?: ByteRange): AsyncIterable<Buffer> {
    return this.reads.bytes(object, range);
  }

  /**
   * Stores an object in place of the one that has the key, if any. The conditions hold at that moment.
   *
   * @throws {ObjectChanged} `object_changed`
   * @throws {InvalidKey} `invalid_key`
   * @throws {BucketNotFound} `bucket_not_found`: it was deleted meanwhile.
   * @throws as {@link ObjectWrites.write}.
   */
  async put(
    bucket: BucketOfObject,
    key: string,
    { facts, body, conditions = {}, earlier }: PutObjectInput,
  ): Promise<StoredObject> {
    requireObjectKey(key);
    const current = earlier === undefined ? ((await this.objects.find(bucket.id, key)) ?? null) : earlier;
    // A write that is refused anyway does not read its body.
    requireConditions(conditions, current ?? undefined);
    return this.writes.write(bucket, body, (written) => this.keep({ key, facts, conditions }, written, current));
  }

  /**
   * Copies the bytes of an object. A copy onto itself changes what is said about it.
   *
   * @throws as {@link put}.
   */
  async copy(
    source: StoredObject,
    target: BucketOfObject,
    key: string,
    { facts, conditions = {} }: { facts: ObjectFacts; conditions?: WriteConditions },
  ): Promise<StoredObject> {
    if (source.bucketId === target.id && source.key === key) return this.describe(source, facts, conditions);
    const { size, checksum } = source;
    const algorithm = checksum?.type === 'FULL_OBJECT' ? checksum.algorithm : undefined;
    const body = {
      size,
      bytes: this.reads.bytes(source),
      checksum: algorithm === undefined ? undefined : { algorithm, announced: () => checksum?.value },
    };
    return this.put(target, key, { facts, body, conditions });
  }

  /** Deletes objects that exist. @returns the keys of those. @throws {InvalidKey} `invalid_key` */
  async delete(bucket: BucketOfObject, keys: readonly string[]): Promise<string[]> {
    for (const key of keys) requireObjectKey(key);
    return this.objects.delete(bucket, keys, this.writes.times);
  }

  /** Deletes up to `limit` objects that were written before a time. @returns their keys. */
  deleteOlderThan(bucket: BucketOfObject, before: Date, limit: number): Promise<string[]> {
    return this.objects.deleteOlderThan(bucket, before, limit, this.writes.times);
  }

  private async describe(source: StoredObject, facts: ObjectFacts, conditions: WriteConditions): Promise<StoredObject> {
    requireConditions(conditions, source);
    const { now } = this.writes.times;
    if (!(await this.objects.describe(source, facts, now))) throw new ObjectContended();
    return { ...source, ...facts, updatedAt: now };
  }

  /** @param first what the key had before the body was read. */
  private async keep(
    { key, facts, conditions }: { key: string; facts: ObjectFacts; conditions: WriteConditions },
    { reservation, size, md5: etag, checksum, parts }: WrittenBytes,
    first: StoredObject | null,
  ): Promise<StoredObject> {
    const { times } = this.writes;
    const { contentType, headers, metadata } = facts;
    const written = { key, contentType, headers, metadata, size, etag, checksum, parts };
    let earlier = first ?? undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      requireConditions(conditions, earlier);
      try {
        if (await this.objects.store(reservation, written, earlier, times))
          return { ...written, bucketId: reservation.bucketId, revision: reservation.id, updatedAt: times.now };
      } catch (error) {
        throw violatedReferenceOf(error) === 'objects_bucket' ? new BucketNotFound() : error;
      }
      if (!(await this.objects.isReserved(reservation.id))) break;
      earlier = await this.objects.find(reservation.bucketId, key);
    }
    throw new ObjectContended();
  }
}
