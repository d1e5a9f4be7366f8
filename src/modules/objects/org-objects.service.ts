import { addAbortSignal, Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Call } from '../auth/caller.js';
import type { Scope } from '../auth/scopes.js';
import { BucketsService } from './buckets/buckets.service.js';
import { BucketNotFound, ObjectChanged, ObjectNotFound, RangeNotSatisfiable } from './objects.errors.js';
import { type ListPage, ObjectListsService, type ListRequest } from './objects/object-lists.service.js';
import { ObjectsService } from './objects/objects.service.js';
import type { Bucket, StoredObject } from './persistence/bucket-rows.js';

/** Where an object keeps the key of the effect that wrote it. */
const EFFECT_KEY = 'effect-key';

/** A bucket as other modules see it. */
export type OrgBucket = Pick<Bucket, 'id' | 'name' | 'visibility' | 'sizeBytes' | 'objectCount'>;

/** An object as other modules see it. */
export interface OrgObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  /** The write that it comes from. It differs for each write. */
  readonly version: string;
  readonly updatedAt: Date;
}

export interface WriteObjectInput {
  readonly content: Buffer;
  readonly contentType: string;
  /** The version that the write replaces. Null when there must be no object with the key. */
  readonly expectedVersion: string | null;
  /** The same for every repetition of this write. 64 hex digits. */
  readonly effectKey: string;
}

/** Lists, reads and writes objects for other modules, with the permissions of a caller. */
@Injectable()
export class OrgObjectsService {
  constructor(
    private readonly buckets: BucketsService,
    private readonly objects: ObjectsService,
    private readonly lists: ObjectListsService,
  ) {}

  /** Returns the buckets of the organization of the call, by name. @throws {InsufficientScopes} */
  async listBuckets({ principal, org }: Call): Promise<OrgBucket[]> {
    principal.require('storage:read', org.id);
    return this.buckets.allOf(org.id);
  }

  /**
   * Finds a bucket of the organization of the call by its id or name.
   *
   * @throws {BucketNotFound} `bucket_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async getBucket(call: Call, idOrName: string, scope: Scope): Promise<OrgBucket> {
    const [id] = (await this.find(call.org.id, [idOrName])).values();
    if (id === undefined) throw new BucketNotFound();
    return this.buckets.get(call, id, scope);
  }

  /** Returns those ids and names that no bucket of an organization has. */
  async missing(orgId: string, idsOrNames: readonly string[]): Promise<string[]> {
    const found = await this.find(orgId, idsOrNames);
    return idsOrNames.filter((each) => !found.has(each));
  }

  /** @throws as {@link getBucket}. */
  async list(call: Call, bucketId: string, request: ListRequest): Promise<ListPage> {
    const { id } = await this.buckets.get(call, bucketId, 'storage:read');
    return this.lists.list(id, request);
  }

  /**
   * Reads up to `length` bytes of an object, beginning at `start`.
   *
   * @throws as {@link getBucket}.
   * @throws {ObjectNotFound} `object_not_found`
   * @throws {InvalidKey} `invalid_key`
   * @throws {RangeNotSatisfiable} `range_not_satisfiable`
   */
  async read(
    call: Call,
    place: { readonly bucketId: string; readonly key: string },
    { start, length, signal }: { readonly start: number; readonly length: number; readonly signal: AbortSignal },
  ): Promise<OrgObject & { readonly bytes: Buffer }> {
    const bucket = await this.buckets.get(call, place.bucketId, 'storage:read');
    const object = await this.objects.get(bucket, place.key);
    const { size } = object;
    if (start > 0 && start >= size) throw new RangeNotSatisfiable(size);
    const range = { start, end: Math.min(start + length, size) - 1 };
    const stream = addAbortSignal(signal, await this.objects.open(object, size === 0 ? undefined : range));
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    return { ...shown(object), bytes: Buffer.concat(chunks) };
  }

  /**
   * Stores an object in place of the expected version. A repetition of a write that has happened returns what it wrote.
   *
   * @throws as {@link getBucket} and {@link ObjectsService.put}.
   * @throws {ObjectChanged} `object_changed`: the object has another version.
   */
  async write(
    call: Call,
    place: { readonly bucketId: string; readonly key: string },
    input: WriteObjectInput,
  ): Promise<OrgObject> {
    const bucket = await this.buckets.get(call, place.bucketId, 'storage:write');
    const { content, contentType, expectedVersion, effectKey } = input;
    const earlier = await this.writtenBy(effectKey, bucket, place.key);
    if (earlier !== undefined) return shown(earlier);
    try {
      const written = await this.objects.put(bucket, place.key, {
        facts: { contentType, headers: {}, metadata: { [EFFECT_KEY]: effectKey } },
        body: { size: content.length, bytes: Readable.from(content.length === 0 ? [] : [content]) },
        conditions: expectedVersion === null ? { ifNoneMatch: '*' } : { ifRevision: expectedVersion },
      });
      return shown(written);
    } catch (error) {
      // Another worker may have made the same write meanwhile.
      const same = error instanceof ObjectChanged ? await this.writtenBy(effectKey, bucket, place.key) : undefined;
      if (same === undefined) throw error;
      return shown(same);
    }
  }

  private async writtenBy(effectKey: string, bucket: Bucket, key: string): Promise<StoredObject | undefined> {
    try {
      const object = await this.objects.get(bucket, key);
      return object.metadata[EFFECT_KEY] === effectKey ? object : undefined;
    } catch (error) {
      if (error instanceof ObjectNotFound) return undefined;
      throw error;
    }
  }

  /** Returns the ids of the buckets that have these ids or names. */
  private async find(orgId: string, idsOrNames: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const buckets = await this.buckets.allOf(orgId);
    const found = new Map<string, string>();
    for (const each of idsOrNames) {
      const bucket = buckets.find(({ id }) => id === each) ?? buckets.find(({ name }) => name === each);
      if (bucket !== undefined) found.set(each, bucket.id);
    }
    return found;
  }
}

const shown = ({ key, size, contentType, revision, updatedAt }: StoredObject): OrgObject => ({
  key,
  sizeBytes: size,
  contentType,
  version: revision,
  updatedAt,
});
