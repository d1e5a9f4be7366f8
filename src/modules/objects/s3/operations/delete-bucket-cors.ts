import { Injectable } from '@nestjs/common';
import { BucketsService } from '../../buckets/buckets.service.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';

@Injectable()
export class DeleteBucketCors implements S3Operation {
  constructor(private readonly buckets: BucketsService) {}

  async run({ call, bucket }: S3BucketCall): Promise<S3Answer> {
    await this.buckets.update(call, bucket.id, { cors: [] });
    return { status: 204 };
  }
}
