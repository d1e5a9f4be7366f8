import { Injectable } from '@nestjs/common';
import { BucketsService } from '../../buckets/buckets.service.js';
import type { CorsRule } from '../../persistence/bucket-rows.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { all, readXml, textOf, type XmlElement } from '../xml/xml-reader.js';

const MAX_BYTES = 65_536;
const MAX_RULES = 100;
const MAX_VALUES = 100;
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
/** `*`, or an origin without a path. */
const ORIGIN = /^(?:\*|https?:\/\/[^\s/?#*,]{1,255})$/;
const HEADER = /^[A-Za-z0-9-]{0,99}\*?$/;
const MAX_AGE_SECONDS = 86_400;

@Injectable()
export class PutBucketCors implements S3Operation {
  constructor(private readonly buckets: BucketsService) {}

  async run({ call, bucket, body }: S3BucketCall): Promise<S3Answer> {
    const root = readXml(await body.text(MAX_BYTES));
    const rules = all(root, 'CORSRule');
    if (root.name !== 'CORSConfiguration' || rules.length === 0 || rules.length > MAX_RULES)
      throw new S3Error('MalformedXML');
    await this.buckets.update(call, bucket.id, { cors: rules.map(ruleOf) });
    return { status: 200 };
  }
}

function ruleOf(rule: XmlElement): CorsRule {
  const age = textOf(rule, 'MaxAgeSeconds') ?? '0';
  if (!/^\d{1,9}$/.test(age)) throw new S3Error('MalformedXML');
  const origins = valuesOf(rule, 'AllowedOrigin', (text) => ORIGIN.test(text));
  const methods = valuesOf(rule, 'AllowedMethod', (text) => METHODS.includes(text));
  if (origins.length === 0 || methods.length === 0) throw new S3Error('MalformedXML');
  return {
    origins,
    methods,
    headers: valuesOf(rule, 'AllowedHeader', (text) => HEADER.test(text)),
    expose_headers: valuesOf(rule, 'ExposeHeader', (text) => HEADER.test(text)),
    max_age_seconds: Math.min(Number(age), MAX_AGE_SECONDS),
  };
}

function valuesOf(rule: XmlElement, name: string, isValid: (text: string) => boolean): string[] {
  const values = all(rule, name).map(({ text }) => text.trim());
  if (values.length > MAX_VALUES || values.some((text) => text === '' || !isValid(text)))
    throw new S3Error('InvalidRequest', `A value of ${name} is not supported.`);
  return values;
}
