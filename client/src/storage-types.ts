import type { ListQuery } from './page.js';

/** What pages of other origins may do with the files of a bucket. */
export interface BucketCorsRule {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers?: readonly string[];
  readonly expose_headers?: readonly string[];
  readonly max_age_seconds?: number;
}

export interface Bucket {
  /** `bkt_…` */
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string | null;
  readonly name: string;
  /** Its name for S3 clients, and in its host name. */
  readonly label: string;
  readonly visibility: 'private' | 'public';
  readonly cors: readonly BucketCorsRule[];
  readonly expire_after_days: number | null;
  readonly size_bytes: number;
  /** Announced by uploads that have not finished. */
  readonly reserved_bytes: number;
  readonly object_count: number;
  readonly s3: { readonly endpoint: string; readonly bucket: string; readonly region: string };
  readonly public_url: string | null;
  readonly created_at: string;
}

export interface BucketsQuery extends ListQuery {
  readonly project_id?: string | undefined;
}

export interface BucketChange {
  readonly name?: string;
  readonly project_id?: string | null;
  readonly visibility?: Bucket['visibility'];
  readonly cors?: readonly BucketCorsRule[];
  /** Objects are deleted this many days after they were written; null keeps them. */
  readonly expire_after_days?: number | null;
}

export interface NewBucket extends BucketChange {
  readonly name: string;
}

export interface StoredObject {
  readonly key: string;
  readonly size_bytes: number;
  readonly etag: string;
  readonly content_type: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly updated_at: string;
  /** Its address, if the bucket is public. */
  readonly url: string | null;
}

export interface ObjectsQuery extends ListQuery {
  readonly prefix?: string | undefined;
  /** Usually `/`: keys that have it after the prefix are summed up in `prefixes`. */
  readonly delimiter?: string | undefined;
}

export interface ObjectsPage {
  readonly objects: readonly StoredObject[];
  /** Folders, so to speak. */
  readonly prefixes: readonly string[];
}

/** A request that a signed URL allows. */
export interface ObjectSignature {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly key: string;
  /** Seconds, at most 604,800. */
  readonly expires_in?: number;
  readonly content_type?: string;
  readonly max_bytes?: number;
}

export interface SignedUrl {
  readonly url: string;
  readonly method: string;
  /** Headers that the request has to have. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expires_at: string;
}

/** A key pair for S3 clients. */
export interface StorageAccessKey {
  /** `AK…` */
  readonly id: string;
  readonly name: string;
  readonly access: 'read' | 'write';
  /** null means all buckets. */
  readonly bucket_ids: readonly string[] | null;
  readonly project_id: string | null;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly created_at: string;
}

/** A key pair with its secret, which is shown once. */
export interface IssuedStorageAccessKey extends StorageAccessKey {
  readonly secret: string;
}

export interface NewStorageAccessKey {
  readonly access: StorageAccessKey['access'];
  readonly name: string;
  /** Ids of buckets. Without them, it opens all buckets. */
  readonly bucket_ids?: readonly string[];
  readonly expires_at?: string;
}

/** Gives the apps of a project a key pair of the bucket in `<prefix>_ACCESS_KEY_ID` and other variables. */
export interface BucketAttachment {
  readonly bucket_id: string;
  readonly project_id: string;
  readonly prefix: string;
  readonly access: 'read' | 'write';
  readonly targets: readonly ('production' | 'preview')[];
  /** The key pair of the attachment. */
  readonly access_key_id: string;
  readonly created_at: string;
}

/** The prefix is `STORAGE` unless you choose another. */
export type BucketAttachmentChange = Partial<Pick<BucketAttachment, 'prefix' | 'access' | 'targets'>>;

export interface StorageUsage {
  readonly size_bytes: number;
  readonly reserved_bytes: number;
  readonly quota_bytes: number;
  readonly buckets: number;
  readonly buckets_limit: number;
}
