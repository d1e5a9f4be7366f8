import { Injectable } from '@nestjs/common';
import { ObjectsService } from '../../objects/objects.service.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';
import { answerOf } from './get-object.js';

@Injectable()
export class HeadObject implements S3Operation {
  constructor(private readonly objects: ObjectsService) {}

  async run(call: S3BucketCall): Promise<S3Answer> {
    const { status, headers = {} } = answerOf(await this.objects.get(call.bucket, call.key), call);
    return { status, headers };
  }
}
