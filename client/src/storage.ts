import { methodsOf } from './methods.js';
import type { Listing, ListQuery, Page } from './page.js';
import { sendObject, type UploadOptions, type UploadSource } from './object-uploads.js';
import type {
  Bucket,
  BucketAttachment,
  BucketAttachmentChange,
  BucketChange,
  BucketsQuery,
  IssuedStorageAccessKey,
  NewBucket,
  NewStorageAccessKey,
  ObjectSignature,
  ObjectsPage,
  ObjectsQuery,
  SignedUrl,
  StorageAccessKey,
  StorageUsage,
  StoredObject,
} from './storage-types.js';
import type { Answer, RequestOptions, Transport } from './transport.js';

/** Files and media in buckets. Reads need `storage:read`, and writes need `storage:write`. */
export interface ObjectStorage extends StorageCalls {
  readonly buckets: Buckets;
  readonly objects: StoredObjects;
  readonly accessKeys: StorageAccessKeys;
  readonly attachments: BucketAttachments;
}

interface StorageCalls {
  /** Returns a URL with which anybody can make one kind of request, for example an upload from a browser. */
  sign(bucketId: string, request: ObjectSignature, options?: RequestOptions): Promise<SignedUrl>;

  /** Returns what is stored, and the limits. */
  usage(options?: RequestOptions): Promise<StorageUsage>;
}

export interface Buckets {
  list(query?: BucketsQuery, options?: RequestOptions): Listing<Bucket>;

  /** @throws {AuthorizationError} `plan_limit_reached`. */
  create(bucket: NewBucket, options?: RequestOptions): Promise<Bucket>;

  /** @throws {NotFoundError} `bucket_not_found`. */
  get(bucketId: string, options?: RequestOptions): Promise<Bucket>;
  update(bucketId: string, change: BucketChange, options?: RequestOptions): Promise<Bucket>;

  /** Deletes an empty bucket. @throws {ConflictError} `bucket_not_empty`. */
  delete(bucketId: string, options?: RequestOptions): Promise<void>;
}

/** Key pairs for S3 clients. */
export interface StorageAccessKeys {
  list(query?: ListQuery, options?: RequestOptions): Listing<StorageAccessKey>;

  /** Creates a key pair. Its secret is returned only now. */
  create(key: NewStorageAccessKey, options?: RequestOptions): Promise<IssuedStorageAccessKey>;
  delete(accessKeyId: string, options?: RequestOptions): Promise<void>;
}

/** Projects whose apps get a key pair of the bucket. */
export interface BucketAttachments {
  list(bucketId: string, query?: ListQuery, options?: RequestOptions): Listing<BucketAttachment>;
  set(
    bucketId: string,
    projectId: string,
    attachment?: BucketAttachmentChange,
    options?: RequestOptions,
  ): Promise<BucketAttachment>;
  delete(bucketId: string, projectId: string, options?: RequestOptions): Promise<void>;
}

/** The objects of a bucket. Keys are sent as they are, whatever they contain. */
export interface StoredObjects extends ObjectCalls {
  /** Returns one page of keys in the order of their bytes; `meta.next_cursor` leads to the next one. */
  list(
    bucketId: string,
    query?: ObjectsQuery,
    options?: RequestOptions,
  ): Promise<Answer<ObjectsPage, Page<unknown>['meta']>>;

  /**
   * Stores an object. Up to 64 MiB are sent in one request; more are sent in parts, several at once.
   *
   * @throws {ServiceError} `storage_full`, or when a part cannot be sent. Call it again with `resume`.
   */
  put(
    bucketId: string,
    key: string,
    content: UploadSource | Uint8Array<ArrayBuffer> | string,
    options?: UploadOptions,
  ): Promise<StoredObject>;

  /**
   * Downloads an object.
   *
   * @param options.range such as `bytes=0-99`.
   * @returns a response whose body has not been read.
   * @throws {NotFoundError} `object_not_found`.
   */
  get(
    bucketId: string,
    key: string,
    options?: RequestOptions & { readonly range?: string | undefined },
  ): Promise<Response>;

  /** Returns the headers that {@link get} would: size, type, ETag and metadata. */
  head(bucketId: string, key: string, options?: RequestOptions): Promise<Headers>;
}

interface ObjectCalls {
  /** Deletes an object. One that does not exist is no error. */
  delete(bucketId: string, key: string, options?: RequestOptions): Promise<void>;

  /**
   * Gives up an upload in parts, and deletes what has arrived of it. Otherwise that counts as stored for 7 days.
   *
   * @param uploadId as {@link UploadProgress} has it.
   * @throws {NotFoundError} `object_upload_not_found`: it was completed, aborted or has expired.
   */
  abortUpload(bucketId: string, uploadId: string, options?: RequestOptions): Promise<void>;
}

export function storageOf(transport: Transport): ObjectStorage {
  const bucketPath = (bucketId: string): string => `/api/v1/storage/buckets/${encodeURIComponent(bucketId)}`;
  const pathOf = (bucketId: string, key: string): string =>
    `${bucketPath(bucketId)}/objects/${encodeURIComponent(key)}`;
  return {
    ...methodsOf<StorageCalls>(transport, { sign: 'post storage/buckets/:/sign', usage: 'get storage/usage' }),
    buckets: methodsOf<Buckets>(transport, {
      list: 'list storage/buckets',
      create: 'post storage/buckets',
      get: 'get storage/buckets/:',
      update: 'patch storage/buckets/:',
      delete: 'delete storage/buckets/:',
    }),
    objects: {
      ...methodsOf<ObjectCalls>(transport, {
        delete: 'delete storage/buckets/:/objects/:',
        abortUpload: 'delete storage/buckets/:/uploads/:',
      }),
      list: (bucketId, query, options) =>
        transport.send({ method: 'GET', path: `${bucketPath(bucketId)}/objects`, query: { ...query } }, options),
      put(bucketId, key, content, options = {}) {
        const source = typeof content === 'string' || content instanceof Uint8Array ? new Blob([content]) : content;
        return sendObject(transport, bucketPath(bucketId), { key, source }, options);
      },
      get: (bucketId, key, { range, ...options } = {}) =>
        transport.response(
          { method: 'GET', path: pathOf(bucketId, key), headers: range === undefined ? {} : { range } },
          options,
        ),
      head: async (bucketId, key, options) =>
        (await transport.response({ method: 'HEAD', path: pathOf(bucketId, key) }, options)).headers,
    },
    accessKeys: methodsOf<StorageAccessKeys>(transport, {
      list: 'list storage/access-keys',
      create: 'post storage/access-keys',
      delete: 'delete storage/access-keys/:',
    }),
    attachments: methodsOf<BucketAttachments>(transport, {
      list: 'list storage/buckets/:/attachments',
      set: 'put storage/buckets/:/attachments/:',
      delete: 'delete storage/buckets/:/attachments/:',
    }),
  };
}
