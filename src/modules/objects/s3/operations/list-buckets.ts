import { Injectable } from '@nestjs/common';
import { opens } from '../../access-keys/known-access-key.js';
import { BucketsService } from '../../buckets/buckets.service.js';
import type { S3Answer, S3Call, S3ServiceOperation } from '../s3-call.js';
import { writeXml } from '../xml/xml-writer.js';

@Injectable()
export class ListBuckets implements S3ServiceOperation {
  constructor(private readonly buckets: BucketsService) {}

  async run({ accessKey }: S3Call): Promise<S3Answer> {
    const { org } = accessKey;
    const buckets = (await this.buckets.allOf(org.id)).filter((bucket) => opens(accessKey, bucket));
    const body = writeXml('ListAllMyBucketsResult', [
      [
        'Owner',
        [
          ['ID', org.id],
          ['DisplayName', org.slug],
        ],
      ],
      [
        'Buckets',
        buckets.map(({ name, createdAt }) => [
          'Bucket',
          [
            ['Name', name],
            ['CreationDate', createdAt.toISOString()],
          ],
        ]),
      ],
    ]);
    return { status: 200, body };
  }
}
