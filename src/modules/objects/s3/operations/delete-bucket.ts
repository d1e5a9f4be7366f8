import { Injectable } from '@nestjs/common';
import { BucketsService } from '../../buckets/buckets.service.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';

@Injectable()
export class DeleteBucket implements S3Operation {
  constructor(private readonly buckets: BucketsService) {}

  async run({ call, bucket }: S3BucketCall): Promise<S3Answer> {
    await this.buckets.delete(call, bucket.id);
    return { status: 204 };
  }
}
