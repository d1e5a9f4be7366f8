const HASH = /^[0-9a-f]{64}$/;

export type Encoding = 'br' | 'gzip';

/** The prefix of every key of a file of a deploy. */
export const CONTENT_PREFIX = 'sha256/';

/** A key has the form `sha256/ab/cdef…`, with `.br` or `.gzip` for a compressed variant. */
export function keyOf(sha256: string, encoding?: Encoding): string {
  if (!HASH.test(sha256)) throw new Error('Not a SHA-256.');
  return `sha256/${sha256.slice(0, 2)}/${sha256.slice(2)}${encoding === undefined ? '' : `.${encoding}`}`;
}

const KEY = /^sha256\/([0-9a-f]{2})\/([0-9a-f]{62})(?:\.(?:br|gzip))?$/;

/** Returns the hash in a key, or undefined for anything else. */
export function hashOf(key: string): string | undefined {
  const parts = KEY.exec(key);
  return parts === null ? undefined : `${parts[1]}${parts[2]}`;
}
