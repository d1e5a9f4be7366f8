import { Injectable } from '@nestjs/common';
import { ObjectsService } from '../../objects/objects.service.js';
import type { ObjectFacts, StoredObject } from '../../persistence/bucket-rows.js';
import { CopySource } from '../copy-source.js';
import { quoted, type S3Answer, type S3BucketCall, type S3Operation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { checksumElements } from '../sent-checksum.js';
import { factsOf, requirePrivate } from '../stored-facts.js';
import { writeConditionsOf } from '../write-conditions.js';
import { writeXml } from '../xml/xml-writer.js';

/** S3 has the same limit. Larger objects are copied in parts. */
const MAX_COPY_BYTES = 5 * 1_073_741_824;

@Injectable()
export class CopyObject implements S3Operation {
  constructor(
    private readonly sources: CopySource,
    private readonly objects: ObjectsService,
  ) {}

  async run(call: S3BucketCall): Promise<S3Answer> {
    const { bucket, key, headers } = call;
    const source = await this.sources.find(call);
    if (source.size > MAX_COPY_BYTES) throw new S3Error('InvalidRequest', 'Copy objects above 5 GiB in parts.');
    const copied = await this.objects.copy(source, bucket, key, {
      facts: factsOfCopy(call, source),
      conditions: writeConditionsOf(headers),
    });
    const body = writeXml('CopyObjectResult', [
      ['LastModified', copied.updatedAt.toISOString()],
      ['ETag', quoted(copied.etag)],
      ...checksumElements(copied.checksum),
    ]);
    return { status: 200, body };
  }
}

function factsOfCopy({ bucket, key, headers }: S3BucketCall, source: StoredObject): ObjectFacts {
  const directive = headers['x-amz-metadata-directive'] ?? 'COPY';
  if (directive === 'REPLACE') return factsOf(headers);
  if (directive !== 'COPY') throw new S3Error('InvalidArgument', 'x-amz-metadata-directive must be COPY or REPLACE.');
  requirePrivate(headers);
  if (source.bucketId === bucket.id && source.key === key)
    throw new S3Error('InvalidRequest', 'A copy of an object onto itself must replace its metadata.');
  return source;
}
