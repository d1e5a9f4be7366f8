import { Injectable } from '@nestjs/common';
import { MAX_PARTS, MultipartService } from '../../multipart/multipart.service.js';
import type { UploadPart } from '../../persistence/bucket-rows.js';
import { maxOf } from '../listing.js';
import { quoted, type S3Answer, type S3BucketCall, type S3Operation } from '../s3-call.js';
import { checksumElements } from '../sent-checksum.js';
import { writeXml, type XmlContent } from '../xml/xml-writer.js';

@Injectable()
export class ListParts implements S3Operation {
  constructor(private readonly uploads: MultipartService) {}

  async run({ bucket, bucketName, key, query }: S3BucketCall): Promise<S3Answer> {
    const upload = await this.uploads.get(bucket, key, query.get('uploadId') ?? '');
    const after = query.integer('part-number-marker', { min: 0, max: MAX_PARTS }) ?? 0;
    const limit = maxOf(query, 'max-parts');
    const found = await this.uploads.parts(upload, after, limit + 1);
    const parts = found.slice(0, limit);
    const { checksumAlgorithm: algorithm, checksumType: type } = upload;
    const body = writeXml('ListPartsResult', [
      ['Bucket', bucketName],
      ['Key', key],
      ['UploadId', upload.id],
      ['PartNumberMarker', after],
      ['NextPartNumberMarker', parts.at(-1)?.number ?? after],
      ['MaxParts', limit],
      ['IsTruncated', found.length > limit && limit > 0],
      ...parts.map((part) => ['Part', partOf(part)] as const),
      ['StorageClass', 'STANDARD'],
      algorithm === null ? undefined : ['ChecksumAlgorithm', algorithm],
      type === null ? undefined : ['ChecksumType', type],
    ]);
    return { status: 200, body };
  }
}

const partOf = ({ number, updatedAt, etag, size, checksum }: UploadPart): XmlContent => [
  ['PartNumber', number],
  ['LastModified', updatedAt.toISOString()],
  ['ETag', quoted(etag)],
  ['Size', size],
  ...checksumElements(checksum).filter(([name]) => name !== 'ChecksumType'),
];
