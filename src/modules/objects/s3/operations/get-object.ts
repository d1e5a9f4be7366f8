import { Injectable } from '@nestjs/common';
import type { ByteRange } from '../../../../platform/blobs/blob-storage.js';
import { ObjectsService } from '../../objects/objects.service.js';
import type { StoredObject } from '../../persistence/bucket-rows.js';
import { byteRangeOf } from '../../reads/byte-range.js';
import { isWanted } from '../read-conditions.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { checksumHeadersOf, headersOfObject } from '../sent-object.js';

@Injectable()
export class GetObject implements S3Operation {
  constructor(private readonly objects: ObjectsService) {}

  async run(call: S3BucketCall): Promise<S3Answer> {
    const object = await this.objects.get(call.bucket, call.key);
    const answer = answerOf(object, call);
    if (answer.status === 304) return answer;
    return { ...answer, body: await this.objects.open(object, answer.range) };
  }
}

/** Answers all but the bytes, which `HEAD` does not send. */
export function answerOf(
  object: StoredObject,
  { headers, query }: S3BucketCall,
): S3Answer & { readonly range?: ByteRange } {
  const sent = headersOfObject(object, query);
  if (!isWanted(object, headers)) return { status: 304, headers: sent };
  const range = rangeOf(object, headers.range, query.integer('partNumber', { min: 1, max: 10_000 }));
  if (range === undefined) {
    const checksum = checksumHeadersOf(object, headers['x-amz-checksum-mode']);
    return { status: 200, headers: { ...sent, ...checksum, 'content-length': object.size } };
  }
  const { start, end } = range;
  return {
    status: 206,
    range,
    headers: { ...sent, 'content-range': `bytes ${start}-${end}/${object.size}`, 'content-length': end - start + 1 },
  };
}

function rangeOf({ size, parts }: StoredObject, header: string | undefined, part?: number): ByteRange | undefined {
  if (part === undefined) return byteRangeOf(header, size);
  if (header !== undefined) throw new S3Error('InvalidRequest', 'Range and partNumber exclude each other.');
  const chosen = parts[part - 1];
  if (chosen === undefined && part > 1) throw new S3Error('InvalidRange', 'The object has no such part.');
  if (chosen === undefined) return undefined;
  const start = parts.slice(0, part - 1).reduce((sum, [, bytes]) => sum + bytes, 0);
  return { start, end: start + chosen[1] - 1 };
}
