import { Injectable } from '@nestjs/common';
import { ObjectListsService } from '../../objects/object-lists.service.js';
import { contentsOf, keyWriterOf, listRequestOf } from '../listing.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { writeXml } from '../xml/xml-writer.js';

@Injectable()
export class ListObjectsV2 implements S3Operation {
  constructor(private readonly lists: ObjectListsService) {}

  async run({ bucket, bucketName, query }: S3BucketCall): Promise<S3Answer> {
    const token = query.get('continuation-token');
    const startAfter = query.get('start-after');
    const write = keyWriterOf(query);
    const request = listRequestOf(query, token === undefined ? (startAfter ?? '') : markOf(token));
    const { steps, next } = await this.lists.list(bucket.id, request);
    const body = writeXml('ListBucketResult', [
      ['Name', bucketName],
      ['Prefix', write(request.prefix)],
      request.delimiter === '' ? undefined : ['Delimiter', write(request.delimiter)],
      ['MaxKeys', request.limit],
      ['KeyCount', steps.length],
      query.has('encoding-type') ? ['EncodingType', 'url'] : undefined,
      startAfter === undefined ? undefined : ['StartAfter', write(startAfter)],
      token === undefined ? undefined : ['ContinuationToken', token],
      next === undefined ? undefined : ['NextContinuationToken', tokenOf(next)],
      ['IsTruncated', next !== undefined],
      ...contentsOf(steps, write),
    ]);
    return { status: 200, body };
  }
}

const tokenOf = (mark: string): string => Buffer.from(mark).toString('base64url');

function markOf(token: string): string {
  const mark = Buffer.from(token, 'base64url').toString();
  if (token === '' || tokenOf(mark) !== token) throw new S3Error('InvalidArgument', 'continuation-token is invalid.');
  return mark;
}
