import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import type { Call } from '../../auth/caller.js';
import { BucketsService } from '../buckets/buckets.service.js';
import { requireObjectKey } from '../domain/object-keys.js';
import { ObjectMetrics } from '../metrics/object.metrics.js';
import { LengthRequired } from '../objects.errors.js';
import { type ListPage, ObjectListsService, type ListRequest } from '../objects/object-lists.service.js';
import { ObjectsService } from '../objects/objects.service.js';
import type { Bucket, ObjectFacts, StoredObject } from '../persistence/bucket-rows.js';

const KEPT_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
] as const;
const METADATA = 'x-amz-meta-';
const MAX_METADATA_BYTES = 2_048;
const DEFAULT_TYPE = 'application/octet-stream';

/** An object, and the bucket that it is in. */
export interface FoundObject {
  readonly bucket: Bucket;
  readonly object: StoredObject;
}

export interface PutRequest {
  readonly request: IncomingMessage;
  readonly isRehearsal: boolean;
}

/** Requests of the API for objects. Callers are admitted to the bucket first. */
@Injectable()
export class ObjectRequestsService {
  constructor(
    private readonly buckets: BucketsService,
    private readonly objects: ObjectsService,
    private readonly lists: ObjectListsService,
    private readonly metrics: ObjectMetrics,
  ) {}

  /** @throws {BucketNotFound} `bucket_not_found` @throws {InsufficientScopes} `insufficient_scopes` */
  async list(call: Call, bucketId: string, request: ListRequest): Promise<ListPage & { readonly bucket: Bucket }> {
    const bucket = await this.buckets.get(call, bucketId, 'storage:read');
    return { bucket, ...(await this.lists.list(bucket.id, request)) };
  }

  /** @throws as {@link list}. @throws {ObjectNotFound} `object_not_found` @throws {InvalidKey} `invalid_key` */
  async get(call: Call, bucketId: string, key: string): Promise<FoundObject> {
    const bucket = await this.buckets.get(call, bucketId, 'storage:read');
    return { bucket, object: await this.objects.get(bucket, key) };
  }

  /**
   * Stores the body of a request. A dry run stores nothing, and reads no body.
   *
   * @throws as {@link list} and {@link ObjectsService.put}. @throws {LengthRequired} `length_required`
   */
  async put(call: Call, bucketId: string, key: string, { request, isRehearsal }: PutRequest): Promise<FoundObject> {
    const bucket = await this.buckets.get(call, bucketId, 'storage:write');
    const { headers } = request;
    const size = Number(headers['content-length'] ?? NaN);
    if (!Number.isSafeInteger(size)) throw new LengthRequired();
    const conditions = { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
    const facts = factsOf(headers);
    const md5 = md5Of(headers);
    if (isRehearsal) return { bucket, object: rehearsed(bucket, requireObjectKey(key), facts, size) };
    const body = { size, bytes: request, md5 };
    const object = await this.objects.put(bucket, key, { facts, body, conditions });
    this.metrics.moved('in', object.size);
    return { bucket, object };
  }

  /** A missing object is not an error. @throws as {@link list}. */
  async delete(call: Call, bucketId: string, key: string): Promise<void> {
    const bucket = await this.buckets.get(call, bucketId, 'storage:write');
    await this.objects.delete(bucket, [key]);
  }
}

const rehearsed = ({ id }: Bucket, key: string, facts: ObjectFacts, size: number): StoredObject => ({
  ...facts,
  ...{ bucketId: id, key, revision: '', size, etag: '', checksum: null, parts: [], updatedAt: new Date(0) },
});

/** What a writer says about an object. @throws {RequestInvalid} `invalid_request` */
function factsOf(headers: IncomingHttpHeaders): ObjectFacts {
  const metadata: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(METADATA) || typeof value !== 'string') continue;
    metadata[name.slice(METADATA.length)] = value;
    bytes += name.length - METADATA.length + value.length;
  }
  if (bytes > MAX_METADATA_BYTES)
    throw refused('x-amz-meta-*', 'max_bytes', `Metadata can have ${MAX_METADATA_BYTES} bytes.`);
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  return { contentType: headers['content-type'] ?? DEFAULT_TYPE, headers: kept, metadata };
}

function md5Of({ 'content-md5': text }: IncomingHttpHeaders): string | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text as string, 'base64');
  if (bytes.length !== 16) throw refused('Content-MD5', 'is_md5', 'Content-MD5 must be the MD5 of the body in base64.');
  return bytes.toString('hex');
}

const refused = (path: string, code: string, message: string): RequestInvalid =>
  new RequestInvalid([{ path, in: 'header', code, message }]);
