import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 24;
/** 33 characters are enough, because 62³³ > 2¹⁹². */
const SECRET_LENGTH = 33;
const CHECKSUM_LENGTH = 6;

/**
 * The kind in the prefix: three kinds of API keys, sessions whose token is in a header and in a cookie, two kinds
 * that are sent by email, hooks, sign-ins that wait for a second factor, and what identity providers send to SCIM.
 */
export const TOKEN_KINDS = ['pat', 'sel', 'org', 'sess', 'web', 'mail', 'inv', 'hook', 'flow', 'scim'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

const FORMAT = new RegExp(`^svc_(${TOKEN_KINDS.join('|')})_([0-9A-Za-z]{39})$`);

/**
 * A token is `svc_<kind>_`, 24 random bytes and the CRC-32 of the rest, both in base62. The checksum detects typing
 * errors without a lookup.
 */
export function createToken(kind: TokenKind, randomBytes: Buffer): string {
  if (randomBytes.length !== SECRET_BYTES) throw new RangeError(`A token is made of ${SECRET_BYTES} random bytes.`);
  const body = `svc_${kind}_${base62(BigInt(`0x${randomBytes.toString('hex')}`), SECRET_LENGTH)}`;
  return body + checksumOf(body);
}

/** Returns the kind of a token with a correct checksum, or undefined for any other text. */
export function tokenKindOf(text: string): TokenKind | undefined {
  const kind = FORMAT.exec(text)?.[1] as TokenKind | undefined;
  if (kind === undefined) return undefined;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH) ? kind : undefined;
}

const checksumOf = (body: string): string => base62(BigInt(crc32(body)), CHECKSUM_LENGTH);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text;
  return text;
}
