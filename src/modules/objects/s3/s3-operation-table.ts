import type { Provider, Type } from '@nestjs/common';
import { AbortMultipartUpload } from './operations/abort-multipart-upload.js';
import { CompleteMultipartUpload } from './operations/complete-multipart-upload.js';
import { CopyObject } from './operations/copy-object.js';
import { CreateBucket } from './operations/create-bucket.js';
import { CreateMultipartUpload } from './operations/create-multipart-upload.js';
import { DeleteBucket } from './operations/delete-bucket.js';
import { DeleteBucketCors } from './operations/delete-bucket-cors.js';
import { DeleteObject } from './operations/delete-object.js';
import { DeleteManyObjects } from './operations/delete-many-objects.js';
import { GetBucketCors } from './operations/get-bucket-cors.js';
import { GetBucketLocation } from './operations/get-bucket-location.js';
import { GetObject } from './operations/get-object.js';
import { HeadBucket } from './operations/head-bucket.js';
import { HeadObject } from './operations/head-object.js';
import { ListBuckets } from './operations/list-buckets.js';
import { ListMultipartUploads } from './operations/list-multipart-uploads.js';
import { ListObjects } from './operations/list-objects.js';
import { ListObjectsV2 } from './operations/list-objects-v2.js';
import { ListParts } from './operations/list-parts.js';
import { PutBucketCors } from './operations/put-bucket-cors.js';
import { PutObject } from './operations/put-object.js';
import { UploadPart } from './operations/upload-part.js';
import { UploadPartCopy } from './operations/upload-part-copy.js';
import type { S3Operation, S3ServiceOperation } from './s3-call.js';
import type { S3OperationName } from './s3-routes.js';

/** Operations that need no bucket, or find it together with the object. */
const SERVICE_OPERATIONS = ['ListBuckets', 'CreateBucket', 'GetObject', 'HeadObject', 'PutObject'] as const;
export type ServiceOperationName = (typeof SERVICE_OPERATIONS)[number];

export const isServiceOperation = (name: S3OperationName): name is ServiceOperationName =>
  (SERVICE_OPERATIONS as readonly S3OperationName[]).includes(name);

const CLASSES = {
  AbortMultipartUpload,
  CompleteMultipartUpload,
  CopyObject,
  CreateBucket,
  CreateMultipartUpload,
  DeleteBucket,
  DeleteBucketCors,
  DeleteObject,
  DeleteObjects: DeleteManyObjects,
  GetBucketCors,
  GetBucketLocation,
  GetObject,
  HeadBucket,
  HeadObject,
  ListBuckets,
  ListMultipartUploads,
  ListObjects,
  ListObjectsV2,
  ListParts,
  PutBucketCors,
  PutObject,
  UploadPart,
  UploadPartCopy,
} as const satisfies Readonly<Record<S3OperationName, Type<S3Operation | S3ServiceOperation>>>;

/** The operations by their names. */
export abstract class S3OperationTable {
  abstract readonly of: {
    readonly [Name in S3OperationName]: Name extends ServiceOperationName ? S3ServiceOperation : S3Operation;
  };
}

const NAMES = Object.keys(CLASSES) as S3OperationName[];

export const S3_OPERATION_PROVIDERS: Provider[] = [
  ...Object.values(CLASSES),
  {
    provide: S3OperationTable,
    inject: Object.values(CLASSES),
    useFactory: (...operations: readonly S3Operation[]): S3OperationTable => ({
      of: Object.fromEntries(NAMES.map((name, index) => [name, operations[index]])) as S3OperationTable['of'],
    }),
  },
];
