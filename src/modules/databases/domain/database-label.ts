import { randomBytes } from 'node:crypto';
import { freeSlugOf } from '../../../platform/text/slug.js';

/** 32 characters, none of which is easily taken for another. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const RANDOM_LENGTH = 8;
/** The length of the names that people choose. */
export const MAX_DATABASE_NAME_LENGTH = 100;
/** PostgreSQL cuts names after 63 bytes. */
const MAX_LENGTH = 63;

/** Returns the name that clients connect to: readable, and impossible to guess from the name that people chose. */
export function newLabelOf(name: string, random: Buffer = randomBytes(RANDOM_LENGTH)): string {
  const slug = freeSlugOf(name, { taken: new Set(), otherwise: 'database' });
  const suffix = [...random].map((byte) => ALPHABET[byte % ALPHABET.length]!).join('');
  const readable = slug.slice(0, MAX_LENGTH - RANDOM_LENGTH - 1).replace(/-$/, '');
  return `${readable}-${suffix}`;
}
