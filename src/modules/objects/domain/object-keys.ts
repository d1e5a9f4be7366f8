import { InvalidKey } from '../objects.errors.js';

const MAX_BYTES = 1_024;

/** Returns the key. PostgreSQL cannot store NUL. @throws {InvalidKey} `invalid_key` */
export function requireObjectKey(key: string): string {
  if (key === '') throw new InvalidKey('it is empty');
  if (Buffer.byteLength(key) > MAX_BYTES) throw new InvalidKey('it is longer than 1,024 bytes');
  if (key.includes('\0')) throw new InvalidKey('it contains NUL');
  if (!key.isWellFormed()) throw new InvalidKey('it is not valid Unicode');
  return key;
}

/**
 * Returns the least text behind all texts that begin with this one, in the order of bytes of UTF-8. Undefined when
 * nothing is behind them.
 */
export function behindAll(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates are no characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return String.fromCodePoint(...points, next);
}

/** Returns the least text behind this one. */
export const justBehind = (text: string): string => `${text}\u0001`;

/** Compares by the bytes of UTF-8. */
export const compareKeys = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
