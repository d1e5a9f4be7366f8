import type { Bucket, Service } from '@service/client';
import { UsageError } from '../failures.js';
import { printable } from '../terminal.js';

export const BUCKET = ['<bucket>', 'id, name or S3 name of the bucket'] as const;

/** A place in a bucket, written as `bucket:key`. */
export interface Remote {
  readonly bucket: string;
  /** A key or the beginning of some; empty for the whole bucket. */
  readonly key: string;
}

/** A path with a slash before its first colon is local, as with scp. */
export function remoteOf(text: string): Remote | undefined {
  const colon = text.indexOf(':');
  const slash = text.indexOf('/');
  if (colon < 1 || (slash !== -1 && slash < colon)) return undefined;
  return { bucket: text.slice(0, colon), key: text.slice(colon + 1) };
}

/** @throws {UsageError} when the text names no place in a bucket. */
export function requireRemote(text: string): Remote {
  const remote = remoteOf(text);
  if (remote === undefined)
    throw new UsageError(`"${printable(text)}" is no place in a bucket. Write it as bucket:key.`);
  return remote;
}

/**
 * Finds a bucket by its id, its name or its S3 name.
 *
 * @throws {UsageError} when there is none, or when several have the name.
 */
export async function bucketOf({ storage }: Service, named: string): Promise<Bucket> {
  if (/^bkt_[0-9a-z]{26}$/.test(named)) return storage.buckets.get(named);
  const found: Bucket[] = [];
  for await (const each of storage.buckets.list({ limit: 100 }))
    if (each.name === named || each.label === named) found.push(each);
  const [only, ...others] = found;
  if (only === undefined)
    throw new UsageError(`There is no bucket "${printable(named)}". List them with "service storage buckets list".`);
  if (others.length > 0)
    throw new UsageError(`Several buckets have this name. Pass an id: ${found.map(({ id }) => id).join(', ')}.`);
  return only;
}
