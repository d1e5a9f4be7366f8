import { Injectable } from '@nestjs/common';
import type { ByteRange } from '../../../../platform/blobs/blob-storage.js';
import { ObjectsService } from '../../objects/objects.service.js';
import type { StoredObject } from '../../persistence/bucket-rows.js';
import { byteRangeOf } from '../../reads/byte-range.js';
import { NamedObjects } from '../named-objects.js';
import { isWanted } from '../read-conditions.js';
import type { S3Answer, S3Call, S3ServiceOperation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { checksumHeadersOf, headersOfObject } from '../sent-object.js';

@Injectable()
export class GetObject implements S3ServiceOperation {
  constructor(
    private readonly sources: NamedObjects,
    private readonly objects: ObjectsService,
  ) {}

  async run(call: S3Call): Promise<S3Answer> {
    const object = await this.sources.find(call);
    const { status, headers, range } = answerOf(object, call);
    if (status === 304) return { status, headers };
    const bytes = await this.sources.bytesOf(call, object);
    if (bytes === undefined) return { status, headers, body: await this.objects.open(object, range) };
    return { status, headers, body: range === undefined ? bytes : bytes.subarray(range.start, range.end + 1) };
  }
}

interface AnswerOfRead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly range?: ByteRange;
}

/** Answers all but the bytes, which `HEAD` does not send. */
export function answerOf(object: StoredObject, { headers, query }: S3Call): AnswerOfRead {
  const sent = headersOfObject(object, query);
  // Browsers open signed addresses, and would keep the file of a person who shares the computer.
  if (query.has('X-Amz-Signature')) sent['cache-control'] ??= 'private, no-store';
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
