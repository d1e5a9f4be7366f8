import { Injectable } from '@nestjs/common';
import { MultipartService } from '../../multipart/multipart.service.js';
import type { ObjectUpload } from '../../persistence/bucket-rows.js';
import { keyWriterOf, type KeyWriter, listRequestOf, maxOf } from '../listing.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { writeXml, type XmlContent } from '../xml/xml-writer.js';

/** Behind the ids of all uploads of a key. */
const LAST_ID = '~';

@Injectable()
export class ListMultipartUploads implements S3Operation {
  constructor(private readonly uploads: MultipartService) {}

  async run({ bucket, bucketName, query }: S3BucketCall): Promise<S3Answer> {
    const marker = query.get('key-marker') ?? '';
    const { prefix, delimiter } = listRequestOf(query, marker);
    if (delimiter !== '') throw new S3Error('NotImplemented', 'Uploads are listed without a delimiter.');
    const write = keyWriterOf(query);
    const limit = maxOf(query, 'max-uploads');
    const after = marker === '' ? undefined : { key: marker, id: query.get('upload-id-marker') ?? LAST_ID };
    const found = await this.uploads.list(bucket, prefix, after, limit + 1);
    const uploads = found.slice(0, limit);
    const next = found.length > limit ? uploads.at(-1) : undefined;
    const body = writeXml('ListMultipartUploadsResult', [
      ['Bucket', bucketName],
      ['KeyMarker', write(marker)],
      ['UploadIdMarker', query.get('upload-id-marker') ?? ''],
      next === undefined ? undefined : ['NextKeyMarker', write(next.key)],
      next === undefined ? undefined : ['NextUploadIdMarker', next.id],
      ['Prefix', write(prefix)],
      ['MaxUploads', limit],
      query.has('encoding-type') ? ['EncodingType', 'url'] : undefined,
      ['IsTruncated', next !== undefined],
      ...uploads.map((upload) => ['Upload', uploadOf(upload, write)] as const),
    ]);
    return { status: 200, body };
  }
}

const uploadOf = ({ key, id, createdAt }: ObjectUpload, write: KeyWriter): XmlContent => [
  ['Key', write(key)],
  ['UploadId', id],
  ['Initiated', createdAt.toISOString()],
  ['StorageClass', 'STANDARD'],
];
