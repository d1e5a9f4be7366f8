import { Injectable } from '@nestjs/common';
import type { S3Answer, S3Operation } from '../s3-call.js';
import { writeXml } from '../xml/xml-writer.js';

@Injectable()
export class GetBucketLocation implements S3Operation {
  /** The first region of S3 is written as nothing. */
  run(): Promise<S3Answer> {
    return Promise.resolve({ status: 200, body: writeXml('LocationConstraint', '') });
  }
}
