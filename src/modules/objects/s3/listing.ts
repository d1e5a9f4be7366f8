import { type ListRequest, MAX_LISTED } from '../objects/object-lists.service.js';
import type { ListStep } from '../persistence/object-lists.store.js';
import { quoted, type S3Query } from './s3-call.js';
import { S3Error } from './s3-error.js';
import { uriEncoded } from './signature/canonical.js';
import type { XmlContent } from './xml/xml-writer.js';

const MAX_TEXT = 1_024;

/** Writes a key as the caller asked for it: as text, or encoded for clients whose XML has no control characters. */
export type KeyWriter = (key: string) => string;

/** @throws {S3Error} */
export function keyWriterOf(query: S3Query): KeyWriter {
  const encoding = query.get('encoding-type') ?? '';
  if (encoding === '') return (key) => key;
  if (encoding !== 'url') throw new S3Error('InvalidArgument', 'encoding-type must be url.');
  return (key) => uriEncoded(key).replaceAll('%2F', '/');
}

/** @throws {S3Error} */
export function listRequestOf(query: S3Query, after: string): ListRequest {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  if ([prefix, delimiter, after].some((text) => Buffer.byteLength(text) > MAX_TEXT))
    throw new S3Error('InvalidArgument', 'prefix, delimiter and markers have at most 1,024 bytes.');
  return { prefix, delimiter, after, limit: maxOf(query, 'max-keys') };
}

/** @throws {S3Error} */
export const maxOf = (query: S3Query, name: string): number =>
  Math.min(query.integer(name, { min: 0, max: MAX_LISTED }) ?? MAX_LISTED, MAX_LISTED);

/** Returns the objects, and behind them the common prefixes, as S3 writes them. */
export function contentsOf(steps: readonly ListStep[], write: KeyWriter): (readonly [string, XmlContent])[] {
  const contents = steps.flatMap((step): (readonly [string, XmlContent])[] => {
    if (!('object' in step)) return [];
    const { key, updatedAt, etag, size, checksum } = step.object;
    return [
      [
        'Contents',
        [
          ['Key', write(key)],
          ['LastModified', updatedAt.toISOString()],
          ['ETag', quoted(etag)],
          checksum === null ? undefined : ['ChecksumAlgorithm', checksum.algorithm],
          checksum === null ? undefined : ['ChecksumType', checksum.type],
          ['Size', size],
          ['StorageClass', 'STANDARD'],
        ],
      ],
    ];
  });
  const prefixes = steps.flatMap((step): (readonly [string, XmlContent])[] =>
    'object' in step ? [] : [['CommonPrefixes', [['Prefix', write(step.prefix)]]]],
  );
  return [...contents, ...prefixes];
}
