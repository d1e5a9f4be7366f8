import { Injectable } from '@nestjs/common';
import { MAX_BYTES_PARAMETER, requireSignedSize } from '../../links/signed-limits.js';
import { ObjectMetrics } from '../../metrics/object.metrics.js';
import { MultipartService } from '../../multipart/multipart.service.js';
import { partNumberOf } from '../part-numbers.js';
import { quoted, type S3Answer, type S3BucketCall, type S3Operation } from '../s3-call.js';
import { checksumHeaders } from '../sent-checksum.js';

@Injectable()
export class UploadPart implements S3Operation {
  constructor(
    private readonly uploads: MultipartService,
    private readonly metrics: ObjectMetrics,
  ) {}

  async run({ bucket, key, query, body }: S3BucketCall): Promise<S3Answer> {
    const number = partNumberOf(query);
    const upload = await this.uploads.get(bucket, key, query.get('uploadId') ?? '');
    const content = body.ofObject(upload.checksumAlgorithm);
    requireSignedSize(query.get(MAX_BYTES_PARAMETER), content.size);
    const part = await this.uploads.putPart(bucket, upload, number, content);
    this.metrics.moved('in', part.size);
    const checksum = Object.entries(checksumHeaders(part.checksum)).filter(([name]) => name !== 'x-amz-checksum-type');
    return { status: 200, headers: { etag: quoted(part.etag), ...Object.fromEntries(checksum) } };
  }
}
