import { Injectable } from '@nestjs/common';
import { MultipartService } from '../../multipart/multipart.service.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';

@Injectable()
export class AbortMultipartUpload implements S3Operation {
  constructor(private readonly uploads: MultipartService) {}

  async run({ bucket, key, query }: S3BucketCall): Promise<S3Answer> {
    const { id } = await this.uploads.get(bucket, key, query.get('uploadId') ?? '');
    await this.uploads.abort(bucket, id);
    return { status: 204 };
  }
}
