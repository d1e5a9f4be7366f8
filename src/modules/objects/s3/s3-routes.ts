import { S3Error } from './s3-error.js';
import type { S3Query } from './s3-call.js';

export type S3Access = 'read' | 'write';

/** The operations, by what they are called in S3. */
export const S3_OPERATIONS = {
  ListBuckets: 'read',
  CreateBucket: 'write',
  HeadBucket: 'read',
  DeleteBucket: 'write',
  GetBucketLocation: 'read',
  GetBucketCors: 'read',
  PutBucketCors: 'write',
  DeleteBucketCors: 'write',
  ListObjects: 'read',
  ListObjectsV2: 'read',
  DeleteObjects: 'write',
  ListMultipartUploads: 'read',
  GetObject: 'read',
  HeadObject: 'read',
  PutObject: 'write',
  CopyObject: 'write',
  DeleteObject: 'write',
  CreateMultipartUpload: 'write',
  UploadPart: 'write',
  UploadPartCopy: 'write',
  CompleteMultipartUpload: 'write',
  AbortMultipartUpload: 'write',
  ListParts: 'read',
} as const satisfies Readonly<Record<string, S3Access>>;

export type S3OperationName = keyof typeof S3_OPERATIONS;

/** Parameters that choose what of a bucket or object a request is about. */
const SUBRESOURCES: ReadonlySet<string> = new Set([
  ...['accelerate', 'acl', 'analytics', 'attributes', 'cors', 'delete', 'encryption', 'intelligent-tiering'],
  ...['inventory', 'legal-hold', 'lifecycle', 'location', 'logging', 'metadataConfiguration', 'metadataTable'],
  ...['metrics', 'notification', 'object-lock', 'ownershipControls', 'policy', 'policyStatus', 'publicAccessBlock'],
  ...['renameObject', 'replication', 'requestPayment', 'restore', 'retention', 'select', 'session', 'tagging'],
  ...['torrent', 'uploadId', 'uploads', 'versioning', 'versions', 'website'],
]);

const OF_BUCKET: Readonly<Record<string, S3OperationName>> = {
  'PUT ': 'CreateBucket',
  'HEAD ': 'HeadBucket',
  'DELETE ': 'DeleteBucket',
  'GET location': 'GetBucketLocation',
  'GET cors': 'GetBucketCors',
  'PUT cors': 'PutBucketCors',
  'DELETE cors': 'DeleteBucketCors',
  'POST delete': 'DeleteObjects',
  'GET uploads': 'ListMultipartUploads',
};

const OF_OBJECT: Readonly<Record<string, S3OperationName>> = {
  'GET ': 'GetObject',
  'HEAD ': 'HeadObject',
  'PUT ': 'PutObject',
  'DELETE ': 'DeleteObject',
  'POST uploads': 'CreateMultipartUpload',
  'PUT uploadId': 'UploadPart',
  'POST uploadId': 'CompleteMultipartUpload',
  'DELETE uploadId': 'AbortMultipartUpload',
  'GET uploadId': 'ListParts',
};

interface Routed {
  readonly method: string;
  readonly level: 'service' | 'bucket' | 'object';
  readonly query: S3Query;
  readonly isCopy: boolean;
}

/** @throws {S3Error} `NotImplemented` for what is not supported, so that nothing is mistaken for something else. */
export function operationOf({ method, level, query, isCopy }: Routed): S3OperationName {
  const subresources = [...query.names].filter((name) => SUBRESOURCES.has(name));
  const version = query.get('versionId');
  if (subresources.length > 1 || (version !== undefined && version !== 'null')) throw new S3Error('NotImplemented');
  const route = `${method} ${subresources[0] ?? ''}`;
  const operation =
    level === 'service'
      ? route === 'GET '
        ? 'ListBuckets'
        : undefined
      : level === 'bucket'
        ? route === 'GET '
          ? query.get('list-type') === '2'
            ? 'ListObjectsV2'
            : 'ListObjects'
          : OF_BUCKET[route]
        : OF_OBJECT[route];
  if (operation === undefined) throw new S3Error(subresources.length > 0 ? 'NotImplemented' : 'MethodNotAllowed');
  if (!isCopy) return operation;
  if (operation === 'PutObject') return 'CopyObject';
  if (operation === 'UploadPart') return 'UploadPartCopy';
  return operation;
}
