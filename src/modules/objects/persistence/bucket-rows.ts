export type BucketVisibility = 'private' | 'public';

/** A rule for pages of other origins, as S3 has them. */
export interface CorsRule {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly expose_headers: readonly string[];
  readonly max_age_seconds: number;
}

export interface Bucket {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string | null;
  /** Unique in the organization. It never changes, because S3 clients use it. */
  readonly name: string;
  /** Unique in the service: the host name of the bucket below the domain of object storage. */
  readonly label: string;
  readonly visibility: BucketVisibility;
  readonly cors: readonly CorsRule[];
  readonly expireAfterDays: number | null;
  /** All objects, and the parts of uploads that are not completed. */
  readonly sizeBytes: number;
  readonly reservedBytes: number;
  readonly objectCount: number;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The standard headers that a writer may choose and that are sent with the object. */
export interface ObjectHeaders {
  readonly 'cache-control'?: string;
  readonly 'content-disposition'?: string;
  readonly 'content-encoding'?: string;
  readonly 'content-language'?: string;
  readonly expires?: string;
}

export const CHECKSUM_ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];

/** `FULL_OBJECT` covers the bytes, and `COMPOSITE` the checksums of the parts. */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';

export interface StoredChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** In base64; a composite one ends in `-` and the number of parts. */
  readonly value: string;
  readonly type: ChecksumType;
}

/** A blob, how many bytes of the object it has, and their MD5 in hexadecimal. Blobs of no bytes do not exist. */
export type ObjectPart = readonly [blob: string, size: number, md5: string];

/** What a writer says about an object. */
export interface ObjectFacts {
  readonly contentType: string;
  readonly headers: ObjectHeaders;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface StoredObject extends ObjectFacts {
  readonly bucketId: string;
  readonly key: string;
  /** Differs for each write. */
  readonly revision: string;
  readonly size: number;
  /** The MD5 of the bytes in hexadecimal, or that of the MD5s of the parts, `-` and their number. Without quotes. */
  readonly etag: string;
  readonly checksum: StoredChecksum | null;
  readonly parts: readonly ObjectPart[];
  readonly updatedAt: Date;
}

export interface ObjectUpload extends ObjectFacts {
  readonly id: string;
  readonly bucketId: string;
  readonly key: string;
  readonly checksumAlgorithm: ChecksumAlgorithm | null;
  readonly checksumType: ChecksumType | null;
  /** What was announced; null for an upload that a program for S3 began. */
  readonly sizeBytes: number | null;
  readonly createdAt: Date;
}

export interface UploadPart {
  readonly uploadId: string;
  readonly number: number;
  readonly revision: string;
  readonly size: number;
  readonly etag: string;
  readonly checksum: StoredChecksum | null;
  /** Null for a part of no bytes. */
  readonly blob: string | null;
  readonly updatedAt: Date;
}

/** Bytes that a running write may store, and the blob that it writes. */
export interface Reservation {
  readonly id: string;
  readonly orgId: string;
  readonly bucketId: string;
  readonly bytes: number;
  readonly blob: string;
}
