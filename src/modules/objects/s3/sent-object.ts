import type { StoredObject } from '../persistence/bucket-rows.js';
import { savedAs, shieldOf } from '../serving/hostile-content.js';
import { quoted, type S3Query } from './s3-call.js';
import { S3Error } from './s3-error.js';
import { checksumHeaders } from './sent-checksum.js';
import { headersOfFacts } from './stored-facts.js';

const OVERRIDES = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
] as const;

const VALUE = /^[\t\x20-\x7e\x80-\xff]{1,1024}$/;

/**
 * Returns the headers of an object. What a browser could run is only saved, because all buckets share this origin.
 *
 * @throws {S3Error}
 */
export function headersOfObject(object: StoredObject, query: S3Query): Record<string, string> {
  const headers = headersOfFacts(object);
  for (const name of OVERRIDES) {
    const value = query.get(`response-${name}`);
    if (value === undefined) continue;
    if (!VALUE.test(value)) throw new S3Error('InvalidArgument', `response-${name} is not a header.`);
    headers[name] = value;
  }
  const shield = shieldOf(headers['content-type'] ?? '', 'private');
  for (const [name, value] of shield.headers) headers[name.toLowerCase()] = value;
  if (shield.mustBeSaved) headers['content-disposition'] = savedAs(headers['content-disposition']);
  return {
    ...headers,
    'accept-ranges': 'bytes',
    etag: quoted(object.etag),
    'last-modified': object.updatedAt.toUTCString(),
    ...(object.etag.includes('-') ? { 'x-amz-mp-parts-count': String(object.parts.length) } : {}),
  };
}

/** The checksum of the whole object, which is no checksum of a range. */
export const checksumHeadersOf = (object: StoredObject, mode: unknown): Record<string, string> =>
  mode === 'ENABLED' ? checksumHeaders(object.checksum) : {};
