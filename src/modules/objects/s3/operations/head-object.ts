import { Injectable } from '@nestjs/common';
import { NamedObjects } from '../named-objects.js';
import type { S3Answer, S3Call, S3ServiceOperation } from '../s3-call.js';
import { answerOf } from './get-object.js';

@Injectable()
export class HeadObject implements S3ServiceOperation {
  constructor(private readonly sources: NamedObjects) {}

  async run(call: S3Call): Promise<S3Answer> {
    const { status, headers } = answerOf(await this.sources.find(call), call);
    return { status, headers };
  }
}
