import type { IncomingMessage } from 'node:http';
import { matches } from '../objects/object-conditions.js';
import type { StoredObject } from '../persistence/bucket-rows.js';
import { S3Error } from './s3-error.js';

/** The names of the conditions, which a copy prefixes. */
export type ConditionPrefix = '' | 'x-amz-copy-source-';

/**
 * Evaluates conditions in the order of RFC 9110.
 *
 * @returns false when the caller has the object already.
 * @throws {S3Error} `PreconditionFailed`
 */
export function isWanted(
  { etag, updatedAt }: StoredObject,
  headers: IncomingMessage['headers'],
  prefix: ConditionPrefix = '',
): boolean {
  const of = (name: string): string | undefined => {
    const value = headers[prefix + name];
    return typeof value === 'string' ? value : undefined;
  };
  // Dates in headers have whole seconds.
  const updated = Math.floor(updatedAt.getTime() / 1_000) * 1_000;
  const [ifMatch, ifNoneMatch] = [of('if-match'), of('if-none-match')];
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, etag)) throw new S3Error('PreconditionFailed');
  } else {
    const since = Date.parse(of('if-unmodified-since') ?? '');
    if (updated > since) throw new S3Error('PreconditionFailed');
  }
  if (ifNoneMatch !== undefined) return !matches(ifNoneMatch, etag);
  const since = Date.parse(of('if-modified-since') ?? '');
  return !(updated <= since);
}
