import { Injectable } from '@nestjs/common';
import { isBucketName } from '../../buckets/bucket-names.js';
import { BucketsService } from '../../buckets/buckets.service.js';
import type { S3Answer, S3Call, S3ServiceOperation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { requirePrivate } from '../stored-facts.js';

const MAX_BYTES = 65_536;

/** A location in the body is taken for any region, because there is one. */
@Injectable()
export class CreateBucket implements S3ServiceOperation {
  constructor(private readonly buckets: BucketsService) {}

  async run({ accessKey, call, bucketName: name, headers, body }: S3Call): Promise<S3Answer> {
    if (accessKey.bucketIds !== null) throw new S3Error('AccessDenied', 'The key opens some buckets only.');
    requirePrivate(headers);
    await body.text(MAX_BYTES);
    if (!isBucketName(name)) throw new S3Error('InvalidBucketName');
    await this.buckets.create(call, { name, projectId: null, visibility: 'private', cors: [], expireAfterDays: null });
    return { status: 200, headers: { location: `/${name}` } };
  }
}
