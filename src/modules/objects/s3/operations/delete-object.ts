import { Injectable } from '@nestjs/common';
import { ObjectsService } from '../../objects/objects.service.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';

@Injectable()
export class DeleteObject implements S3Operation {
  constructor(private readonly objects: ObjectsService) {}

  /** An object that is not there counts as deleted. */
  async run({ bucket, key }: S3BucketCall): Promise<S3Answer> {
    await this.objects.delete(bucket, [key]);
    return { status: 204 };
  }
}
