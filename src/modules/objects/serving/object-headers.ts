import type { ByteRange } from '../../../platform/blobs/blob-storage.js';
import type { Bucket, StoredObject } from '../persistence/bucket-rows.js';
import { savedAs, shieldOf } from './hostile-content.js';

export type HeaderPair = readonly [name: string, value: string];

const PASSED_ON = ['Cache-Control', 'Content-Encoding', 'Content-Language', 'Expires'] as const;

/** Returns the headers that describe an object, with those that take the power from what tenants store. */
export function headersOf(object: StoredObject, { visibility }: Pick<Bucket, 'visibility'>): HeaderPair[] {
  const { contentType, headers, etag, updatedAt } = object;
  const shield = shieldOf(contentType, visibility);
  const disposition = headers['content-disposition'];
  const shown = shield.mustBeSaved ? savedAs(disposition) : disposition;
  return [
    ['Content-Type', contentType],
    ['ETag', `"${etag}"`],
    ['Last-Modified', updatedAt.toUTCString()],
    ['Accept-Ranges', 'bytes'],
    ...(shown === undefined ? [] : [['Content-Disposition', shown] as const]),
    ...PASSED_ON.flatMap((name) => {
      const value = headers[name.toLowerCase() as keyof typeof headers];
      return value === undefined ? [] : [[name, value] as const];
    }),
    ...shield.headers,
  ];
}

/** Returns how many bytes a body has: all of an object, or a part of it. */
export const sizeOfBody = ({ size }: Pick<StoredObject, 'size'>, range: ByteRange | undefined): number =>
  range === undefined ? size : range.end - range.start + 1;

/** Returns the headers of a body: all of an object, or a part of it. */
export function bodyHeadersOf(object: Pick<StoredObject, 'size'>, range: ByteRange | undefined): HeaderPair[] {
  const length: HeaderPair = ['Content-Length', String(sizeOfBody(object, range))];
  return range === undefined
    ? [length]
    : [length, ['Content-Range', `bytes ${range.start}-${range.end}/${object.size}`]];
}
