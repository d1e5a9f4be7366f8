import { createHmac, hash, type KeyObject } from 'node:crypto';

/** A parameter of the query, decoded. */
export type QueryPair = readonly [name: string, value: string];

/** The encoding that the signature prescribes: everything but letters, digits and `-._~`. */
export const uriEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/** Splits a request target, and decodes the query. @throws {URIError} for what cannot be decoded. */
export function splitTarget(target: string): { path: string; query: QueryPair[] } {
  const at = target.indexOf('?');
  if (at === -1) return { path: target, query: [] };
  const query = target
    .slice(at + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): QueryPair => {
      const equals = pair.indexOf('=');
      if (equals === -1) return [decodeURIComponent(pair), ''];
      return [decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))];
    });
  return { path: target.slice(0, at), query };
}

const decoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

/** Each segment as it was sent, in the prescribed encoding. Nothing is resolved. @throws {URIError} */
export const canonicalPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => uriEncoded(decodeURIComponent(segment)))
    .join('/');

/** Sorted by name, then by value, without the signature itself. */
export const canonicalQuery = (query: readonly QueryPair[]): string =>
  query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [uriEncoded(name), uriEncoded(value)] as const)
    .sort(([one, a], [other, b]) => compare(one, other) || compare(a, b))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Spaces count once, and none at the ends. */
export const canonicalValue = (value: string): string => value.trim().replace(/ {2,}/g, ' ');

/** Node reads each byte of a header as a character, and this returns those bytes to what is signed. */
export const sha256Hex = (text: string): string => hash('sha256', Buffer.from(text, 'latin1'), 'hex');

/** A key that is used again should be a `KeyObject`: with bytes, making it one takes four times as long as the rest. */
export const hmac = (key: KeyObject | Buffer | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();
