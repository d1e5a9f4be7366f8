import { Injectable } from '@nestjs/common';
import { isLinear } from '../../checksums/combined.js';
import { MultipartService } from '../../multipart/multipart.service.js';
import { CHECKSUM_ALGORITHMS, type ChecksumAlgorithm, type ChecksumType } from '../../persistence/bucket-rows.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { factsOf } from '../stored-facts.js';
import { writeXml } from '../xml/xml-writer.js';

@Injectable()
export class CreateMultipartUpload implements S3Operation {
  constructor(private readonly uploads: MultipartService) {}

  async run({ bucket, bucketName, key, headers }: S3BucketCall): Promise<S3Answer> {
    const algorithm = algorithmOf(headers['x-amz-checksum-algorithm']);
    const type = typeOf(algorithm, headers['x-amz-checksum-type']);
    const upload = await this.uploads.begin(bucket, {
      ...factsOf(headers),
      key,
      checksumAlgorithm: algorithm,
      checksumType: type,
      sizeBytes: null,
    });
    const body = writeXml('InitiateMultipartUploadResult', [
      ['Bucket', bucketName],
      ['Key', key],
      ['UploadId', upload.id],
    ]);
    const answered: Record<string, string> =
      algorithm === null || type === null ? {} : { 'x-amz-checksum-algorithm': algorithm, 'x-amz-checksum-type': type };
    return { status: 200, headers: answered, body };
  }
}

function algorithmOf(header: string | string[] | undefined): ChecksumAlgorithm | null {
  if (header === undefined) return null;
  const algorithm = CHECKSUM_ALGORITHMS.find((each) => each === header);
  if (algorithm === undefined) throw new S3Error('InvalidRequest', 'x-amz-checksum-algorithm is not supported.');
  return algorithm;
}

/** Only a CRC of the whole follows from those of the parts. */
function typeOf(algorithm: ChecksumAlgorithm | null, header: string | string[] | undefined): ChecksumType | null {
  if (algorithm === null) return null;
  const name = header ?? (algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE');
  const type = (['FULL_OBJECT', 'COMPOSITE'] as const).find((each) => each === name);
  const isPossible = type === 'FULL_OBJECT' ? isLinear(algorithm) : algorithm !== 'CRC64NVME';
  if (type === undefined || !isPossible)
    throw new S3Error('InvalidRequest', `${algorithm} has no checksum of this type.`);
  return type;
}
