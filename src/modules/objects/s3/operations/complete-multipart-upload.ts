import { Injectable } from '@nestjs/common';
import type { CompletedPart } from '../../multipart/completed-parts.js';
import { MAX_PARTS } from '../../multipart/multipart.service.js';
import { UploadCompletion } from '../../multipart/upload-completion.js';
import { CHECKSUM_ALGORITHMS } from '../../persistence/bucket-rows.js';
import { checksumHeaderOf } from '../body/request-body.js';
import { quoted, type S3Answer, type S3BucketCall, type S3Operation, unquoted } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { checksumElements } from '../sent-checksum.js';
import { writeConditionsOf } from '../write-conditions.js';
import { all, readXml, textOf, type XmlElement } from '../xml/xml-reader.js';
import { writeXml } from '../xml/xml-writer.js';

const MAX_BYTES = 4_194_304;

@Injectable()
export class CompleteMultipartUpload implements S3Operation {
  constructor(private readonly completion: UploadCompletion) {}

  async run({ bucket, bucketName, key, query, headers, body, endpoint }: S3BucketCall): Promise<S3Answer> {
    const root = readXml(await body.text(MAX_BYTES));
    const parts = all(root, 'Part');
    if (root.name !== 'CompleteMultipartUpload' || parts.length === 0 || parts.length > MAX_PARTS)
      throw new S3Error('MalformedXML');
    const announced = CHECKSUM_ALGORITHMS.map((algorithm) => headers[checksumHeaderOf(algorithm)]);
    const object = await this.completion.complete(bucket, {
      uploadId: query.get('uploadId') ?? '',
      key,
      parts: parts.map(partOf),
      conditions: writeConditionsOf(headers),
      checksum: announced.find((value): value is string => typeof value === 'string'),
    });
    const answer = writeXml('CompleteMultipartUploadResult', [
      ['Location', `${endpoint}/${bucketName}/${key}`],
      ['Bucket', bucketName],
      ['Key', key],
      ['ETag', quoted(object.etag)],
      ...checksumElements(object.checksum),
    ]);
    return { status: 200, body: answer };
  }
}

function partOf(part: XmlElement): CompletedPart {
  const number = textOf(part, 'PartNumber')?.trim() ?? '';
  const etag = textOf(part, 'ETag');
  if (!/^\d{1,5}$/.test(number) || etag === undefined) throw new S3Error('MalformedXML');
  const checksums = CHECKSUM_ALGORITHMS.map((algorithm) => textOf(part, `Checksum${algorithm}`));
  return {
    number: Number(number),
    etag: unquoted(etag),
    checksum: checksums.find((value) => value !== undefined && value !== ''),
  };
}
