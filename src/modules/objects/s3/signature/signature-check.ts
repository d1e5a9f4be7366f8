import { createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { S3Error } from '../s3-error.js';
import { canonicalPath, canonicalQuery, canonicalValue, hmac, type QueryPair, sha256Hex } from './canonical.js';
import type { SignatureFields } from './signature-fields.js';

const MAX_SKEW_MS = 900_000;
const MAX_KEYS = 1_000;

/** What the signatures of chunks continue from. */
export interface SignatureChain {
  readonly key: KeyObject | Buffer;
  readonly time: string;
  readonly scope: string;
  readonly seed: string;
}

export interface SignedRequest {
  readonly request: Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>;
  /** It is not decoded. */
  readonly path: string;
  readonly query: readonly QueryPair[];
}

/** @throws {S3Error} for a request that is too old, too new or expired. */
export function requireTime({ at, expiresSeconds }: SignatureFields, now: Date): void {
  const ageMs = now.getTime() - at.getTime();
  if (ageMs < -MAX_SKEW_MS) throw new S3Error('RequestTimeTooSkewed');
  if (expiresSeconds === undefined) {
    if (ageMs > MAX_SKEW_MS) throw new S3Error('RequestTimeTooSkewed');
  } else if (ageMs > expiresSeconds * 1_000) throw new S3Error('AccessDenied', 'The link has expired.');
}

/**
 * Every `x-amz-` header must be signed, and none of the signed ones may be there twice, because programs differ in
 * which of them counts.
 *
 * @throws {S3Error}
 */
export function requireHeaders({ signedHeaders }: SignatureFields, { rawHeaders }: SignedRequest['request']): void {
  const signed = new Set(signedHeaders);
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    const isOfAws = name.startsWith('x-amz-');
    if (isOfAws && !signed.has(name)) throw new S3Error('AccessDenied', `The header ${name} must be signed.`);
    if (seen.has(name) && (isOfAws || signed.has(name) || name === 'authorization'))
      throw new S3Error('InvalidRequest', `The header ${name} is there more than once.`);
    seen.add(name);
  }
  if (seen.has('x-amz-security-token')) throw new S3Error('ExpiredToken');
}

/** Checks the signature of everything but the body. @throws {S3Error} `SignatureDoesNotMatch` */
export function checkSignature(fields: SignatureFields, signed: SignedRequest, secret: string): SignatureChain {
  const { scope, time, signature } = fields;
  const key = signingKey(secret, fields);
  const expected = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256Hex(canonicalRequest(fields, signed))}`);
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw new S3Error('SignatureDoesNotMatch');
  return { key, time, scope, seed: signature };
}

function canonicalRequest(
  { signedHeaders, payload }: SignatureFields,
  { request, path, query }: SignedRequest,
): string {
  const { method = '', headers } = request;
  const values = signedHeaders.map((name) => {
    const value = headers[name];
    return `${name}:${canonicalValue(Array.isArray(value) ? value.join(',') : (value ?? ''))}\n`;
  });
  return [method, canonicalPath(path), canonicalQuery(query), values.join(''), signedHeaders.join(';'), payload].join(
    '\n',
  );
}

const keys = new LRUCache<string, KeyObject>({ max: MAX_KEYS });

/** The key of a day costs four hashes, and is the same for all requests of that day. */
function signingKey(secret: string, { day, region }: SignatureFields): KeyObject {
  const name = `${day} ${region} ${secret}`;
  let key = keys.get(name);
  if (key === undefined) {
    key = createSecretKey(hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request'));
    keys.set(name, key);
  }
  return key;
}
