import type { IncomingMessage } from 'node:http';
import type { ObjectFacts, ObjectHeaders } from '../persistence/bucket-rows.js';
import { S3Error } from './s3-error.js';

type Headers = IncomingMessage['headers'];

const META = 'x-amz-meta-';
const MAX_METADATA_BYTES = 2_048;
const MAX_HEADER_BYTES = 1_024;
const DEFAULT_TYPE = 'application/octet-stream';
const KEPT = ['cache-control', 'content-disposition', 'content-language', 'expires'] as const;

/** What would change who can read an object, or how it is kept. */
const UNSUPPORTED = [
  /^x-amz-grant-/,
  /^x-amz-object-lock-/,
  /^x-amz-server-side-encryption/,
  /^x-amz-tagging$/,
  /^x-amz-website-redirect-location$/,
  /^x-amz-write-offset-bytes$/,
];

/** Reads what a writer says about an object. @throws {S3Error} */
export function factsOf(headers: Headers): ObjectFacts {
  requirePrivate(headers);
  const type = headers['content-type'];
  return {
    contentType: type === undefined || type === '' ? DEFAULT_TYPE : shortEnough(type),
    headers: keptHeadersOf(headers),
    metadata: metadataOf(headers),
  };
}

/** Everything but what is not supported. @throws {S3Error} `NotImplemented` */
export function requirePrivate(headers: Headers): void {
  const acl = headers['x-amz-acl'];
  if (acl !== undefined && acl !== 'private') throw new S3Error('NotImplemented', 'The only ACL is private.');
  const storage = headers['x-amz-storage-class'];
  if (storage !== undefined && storage !== 'STANDARD') throw new S3Error('InvalidStorageClass');
  const name = Object.keys(headers).find((each) => UNSUPPORTED.some((pattern) => pattern.test(each)));
  if (name !== undefined) throw new S3Error('NotImplemented', `The header ${name} is not supported.`);
}

function keptHeadersOf(headers: Headers): ObjectHeaders {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') kept[name] = shortEnough(value);
  }
  // This encoding is that of the request, and the object does not have it.
  const encoding = (headers['content-encoding'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && each !== 'aws-chunked');
  if (encoding.length > 0) kept['content-encoding'] = shortEnough(encoding.join(', '));
  return kept;
}

function metadataOf(headers: Headers): Record<string, string> {
  const metadata: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(META) || name === META) continue;
    const text = String(value);
    bytes += name.length - META.length + text.length;
    metadata[name.slice(META.length)] = text;
  }
  if (bytes > MAX_METADATA_BYTES) throw new S3Error('MetadataTooLarge');
  return metadata;
}

function shortEnough(value: string): string {
  if (value.length > MAX_HEADER_BYTES) throw new S3Error('InvalidArgument', 'A header is longer than 1,024 bytes.');
  return value;
}

/** The headers that an object is sent with. */
export function headersOfFacts({ contentType, headers, metadata }: ObjectFacts): Record<string, string> {
  return {
    ...headers,
    'content-type': contentType,
    ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [META + name, value])),
  };
}
