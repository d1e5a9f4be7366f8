import { Injectable } from '@nestjs/common';
import type { ByteRange } from '../../../../platform/blobs/blob-storage.js';
import { MultipartService } from '../../multipart/multipart.service.js';
import { ObjectsService } from '../../objects/objects.service.js';
import { CopySource } from '../copy-source.js';
import { partNumberOf } from '../part-numbers.js';
import { quoted, type S3Answer, type S3BucketCall, type S3Operation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { checksumElements } from '../sent-checksum.js';
import { writeXml } from '../xml/xml-writer.js';

@Injectable()
export class UploadPartCopy implements S3Operation {
  constructor(
    private readonly sources: CopySource,
    private readonly objects: ObjectsService,
    private readonly uploads: MultipartService,
  ) {}

  async run(call: S3BucketCall): Promise<S3Answer> {
    const { bucket, key, query, headers } = call;
    const number = partNumberOf(query);
    const upload = await this.uploads.get(bucket, key, query.get('uploadId') ?? '');
    const source = await this.sources.find(call);
    const range = rangeOf(headers['x-amz-copy-source-range'], source.size);
    const algorithm = upload.checksumAlgorithm;
    const part = await this.uploads.putPart(bucket, upload, number, {
      size: range === undefined ? source.size : range.end - range.start + 1,
      bytes: this.objects.bytes(source, range),
      checksum: algorithm === null ? undefined : { algorithm, announced: () => undefined },
    });
    const body = writeXml('CopyPartResult', [
      ['LastModified', part.updatedAt.toISOString()],
      ['ETag', quoted(part.etag)],
      ...checksumElements(part.checksum).filter(([name]) => name !== 'ChecksumType'),
    ]);
    return { status: 200, body };
  }
}

/** Unlike `Range`, both ends must be there and in the object. */
function rangeOf(header: string | string[] | undefined, size: number): ByteRange | undefined {
  if (header === undefined) return undefined;
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(String(header)) ?? [];
  const [start, end] = [Number(first), Number(last)];
  if (!(start <= end && end < size))
    throw new S3Error('InvalidArgument', 'x-amz-copy-source-range must be bytes=<first>-<last>, in the object.');
  return { start, end };
}
