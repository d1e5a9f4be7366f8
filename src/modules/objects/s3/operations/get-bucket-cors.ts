import { Injectable } from '@nestjs/common';
import type { CorsRule } from '../../persistence/bucket-rows.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { writeXml, type XmlContent } from '../xml/xml-writer.js';

@Injectable()
export class GetBucketCors implements S3Operation {
  run({ bucket: { cors } }: S3BucketCall): Promise<S3Answer> {
    if (cors.length === 0) throw new S3Error('NoSuchCORSConfiguration');
    const rules = cors.map((rule) => ['CORSRule', ruleOf(rule)] as const);
    return Promise.resolve({ status: 200, body: writeXml('CORSConfiguration', rules) });
  }
}

const ruleOf = (rule: CorsRule): XmlContent => [
  ...rule.origins.map((each) => ['AllowedOrigin', each] as const),
  ...rule.methods.map((each) => ['AllowedMethod', each] as const),
  ...rule.headers.map((each) => ['AllowedHeader', each] as const),
  ...rule.expose_headers.map((each) => ['ExposeHeader', each] as const),
  ['MaxAgeSeconds', rule.max_age_seconds],
];
