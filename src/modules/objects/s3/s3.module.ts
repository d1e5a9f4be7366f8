import { Module } from '@nestjs/common';
import { AccessKeysModule } from '../access-keys/access-keys.module.js';
import { ObjectsModule } from '../objects.module.js';
import { CopySource } from './copy-source.js';
import { NamedObjects } from './named-objects.js';
import { S3Admission } from './s3-admission.js';
import { S3Answers } from './s3-answers.js';
import { S3Face } from './s3-face.js';
import { S3_OPERATION_PROVIDERS } from './s3-operation-table.js';

/** The face of object storage that speaks S3. */
@Module({
  imports: [AccessKeysModule, ObjectsModule],
  providers: [...S3_OPERATION_PROVIDERS, CopySource, NamedObjects, S3Admission, S3Answers, S3Face],
  exports: [S3Face],
})
export class S3Module {}
