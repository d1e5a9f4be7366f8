import { requireObjectKey } from '../domain/object-keys.js';
import { S3Error } from './s3-error.js';

/** What a request is about. Neither means the service itself. */
export interface S3Target {
  readonly bucket: string | undefined;
  readonly key: string | undefined;
}

/**
 * Reads the bucket and the key. Nothing of a path is resolved: `..` and `//` are parts of keys.
 *
 * @param base what the path begins with before the bucket, such as `/s3`.
 * @param label the bucket that the host names.
 * @throws {S3Error}
 */
export function targetOf(path: string, base: string, label: string | undefined): S3Target {
  if (!path.startsWith(`${base}/`)) {
    if (path === base) return { bucket: label, key: undefined };
    throw new S3Error('InvalidURI');
  }
  const rest = decoded(path.slice(base.length + 1));
  if (label !== undefined) return { bucket: label, key: keyOf(rest) };
  const slash = rest.indexOf('/');
  if (slash === -1) return { bucket: rest === '' ? undefined : rest, key: undefined };
  const bucket = rest.slice(0, slash);
  if (bucket === '') throw new S3Error('InvalidBucketName');
  return { bucket, key: keyOf(rest.slice(slash + 1)) };
}

const keyOf = (text: string): string | undefined => {
  if (text === '') return undefined;
  if (Buffer.byteLength(text) > 1_024) throw new S3Error('KeyTooLongError');
  return requireObjectKey(text);
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI');
  }
}
