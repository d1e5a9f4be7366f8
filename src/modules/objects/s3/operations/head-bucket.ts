import { Injectable } from '@nestjs/common';
import type { S3Answer, S3Operation } from '../s3-call.js';
import { REGION } from '../region.js';

@Injectable()
export class HeadBucket implements S3Operation {
  run(): Promise<S3Answer> {
    return Promise.resolve({ status: 200, headers: { 'x-amz-bucket-region': REGION } });
  }
}
