import type { ByteRange } from '../../../platform/blobs/blob-storage.js';
import { RangeNotSatisfiable } from '../objects.errors.js';

/**
 * Reads a `Range` header for a body of this size. Undefined asks for all of it: without the header, and for one with
 * several ranges or another unit, which RFC 9110 lets a server ignore.
 *
 * @throws {RangeNotSatisfiable} `range_not_satisfiable`
 */
export function byteRangeOf(header: string | undefined, size: number): ByteRange | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const count = Math.min(Number(last), size);
    if (count === 0) throw new RangeNotSatisfiable(size);
    return { start: size - count, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) throw new RangeNotSatisfiable(size);
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
