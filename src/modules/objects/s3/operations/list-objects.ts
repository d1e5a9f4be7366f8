import { Injectable } from '@nestjs/common';
import { ObjectListsService } from '../../objects/object-lists.service.js';
import { contentsOf, keyWriterOf, listRequestOf } from '../listing.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';
import { writeXml } from '../xml/xml-writer.js';

@Injectable()
export class ListObjects implements S3Operation {
  constructor(private readonly lists: ObjectListsService) {}

  async run({ bucket, bucketName, query }: S3BucketCall): Promise<S3Answer> {
    const marker = query.get('marker') ?? '';
    const write = keyWriterOf(query);
    const request = listRequestOf(query, marker);
    const { steps, next } = await this.lists.list(bucket.id, request);
    const body = writeXml('ListBucketResult', [
      ['Name', bucketName],
      ['Prefix', write(request.prefix)],
      ['Marker', write(marker)],
      next === undefined ? undefined : ['NextMarker', write(next)],
      ['MaxKeys', request.limit],
      request.delimiter === '' ? undefined : ['Delimiter', write(request.delimiter)],
      query.has('encoding-type') ? ['EncodingType', 'url'] : undefined,
      ['IsTruncated', next !== undefined],
      ...contentsOf(steps, write),
    ]);
    return { status: 200, body };
  }
}
