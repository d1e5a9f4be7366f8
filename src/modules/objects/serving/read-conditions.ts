import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from '../../../platform/blobs/blob-storage.js';
import { matches } from '../objects/object-conditions.js';
import type { StoredObject } from '../persistence/bucket-rows.js';
import { byteRangeOf } from '../reads/byte-range.js';

export type ReadOutcome =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly range: ByteRange }
  | { readonly kind: 'not_modified' }
  | { readonly kind: 'changed' };

type Compared = Pick<StoredObject, 'etag' | 'size' | 'updatedAt'>;

/**
 * Decides what a GET or HEAD is answered with, in the order of RFC 9110 (13.2.2).
 *
 * @throws {RangeNotSatisfiable} `range_not_satisfiable`
 */
export function outcomeOf(headers: IncomingHttpHeaders, object: Compared): ReadOutcome {
  const changedAt = Math.floor(object.updatedAt.getTime() / 1_000) * 1_000;
  const { 'if-match': wanted, 'if-none-match': known } = headers;
  if (wanted !== undefined) {
    if (!matches(wanted, object.etag)) return { kind: 'changed' };
  } else if (changedAt > Date.parse(headers['if-unmodified-since'] ?? '')) return { kind: 'changed' };
  if (known !== undefined) {
    if (matches(known, object.etag)) return { kind: 'not_modified' };
  } else if (changedAt <= Date.parse(headers['if-modified-since'] ?? '')) return { kind: 'not_modified' };
  const range = holds(headers['if-range'], object) ? byteRangeOf(headers.range, object.size) : undefined;
  return range === undefined ? { kind: 'whole' } : { kind: 'part', range };
}

/** With `If-Range`, a part is useful only to a caller that has the rest of the same object. */
const holds = (condition: string | string[] | undefined, { etag, updatedAt }: Compared): boolean =>
  condition === undefined || condition === `"${etag}"` || condition === updatedAt.toUTCString();
