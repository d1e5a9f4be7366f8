import { Injectable } from '@nestjs/common';
import { opens } from '../access-keys/known-access-key.js';
import { BucketsService } from '../buckets/buckets.service.js';
import { ObjectsService } from '../objects/objects.service.js';
import type { StoredObject } from '../persistence/bucket-rows.js';
import { isWanted } from './read-conditions.js';
import type { S3Call } from './s3-call.js';
import { S3Error } from './s3-error.js';
import { targetOf } from './s3-target.js';

/** Finds the object that a copy reads. */
@Injectable()
export class CopySource {
  constructor(
    private readonly buckets: BucketsService,
    private readonly objects: ObjectsService,
  ) {}

  /** @throws {S3Error} @throws {ObjectNotFound} `object_not_found` */
  async find({ accessKey, headers }: S3Call): Promise<StoredObject> {
    const { name, key } = sourceOf(String(headers['x-amz-copy-source']));
    accessKey.principal.require('storage:read', accessKey.org.id);
    const bucket = await this.buckets.findByName(accessKey.org.id, name);
    if (bucket === undefined || !opens(accessKey, bucket)) throw new S3Error('NoSuchBucket');
    const source = await this.objects.get(bucket, key);
    if (!isWanted(source, headers, 'x-amz-copy-source-')) throw new S3Error('PreconditionFailed');
    return source;
  }
}

function sourceOf(header: string): { name: string; key: string } {
  const at = header.indexOf('?');
  const version = at === -1 ? 'null' : /^versionId=(.*)$/.exec(header.slice(at + 1))?.[1];
  if (version !== 'null') throw new S3Error('NotImplemented', 'There are no versions.');
  const path = at === -1 ? header : header.slice(0, at);
  const { bucket, key } = targetOf(path.startsWith('/') ? path : `/${path}`, '', undefined);
  if (bucket === undefined || key === undefined)
    throw new S3Error('InvalidArgument', 'x-amz-copy-source must be <bucket>/<key>.');
  return { name: bucket, key };
}
