import { createHmac, timingSafeEqual } from 'node:crypto';

/** What every authenticator app understands (RFC 6238): SHA-1, six digits, thirty seconds. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** Clocks of phones are off by seconds, and people type slowly. */
const STEPS_APART = 1;

export const stepAt = (at: Date): number => Math.floor(at.getTime() / STEP_MS);

/** Returns the code of a step (RFC 4226, section 5.3). */
export function codeOf(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const offset = hash[hash.length - 1]! & 0xf;
  const number = (hash.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return number.toString().padStart(digits, '0');
}

/**
 * Returns the step whose code this is, among the present one and its neighbors, or undefined. Steps up to `after` were
 * used and do not count. It compares all of them in the same time.
 */
export function stepOfCode(
  secret: Buffer,
  code: string,
  { at, after }: { at: Date; after: number },
): number | undefined {
  const given = Buffer.from(code.padEnd(DIGITS).slice(0, DIGITS));
  let found: number | undefined;
  for (let step = stepAt(at) - STEPS_APART; step <= stepAt(at) + STEPS_APART; step++) {
    const isEqual = timingSafeEqual(Buffer.from(codeOf(secret, step)), given);
    if (isEqual && code.length === DIGITS && step > after) found ??= step;
  }
  return found;
}

/** Returns the address that an authenticator app reads from a QR code. */
export function totpUri({ secret, issuer, account }: { secret: string; issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const facts = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: '6', period: '30' });
  // Some apps show a plus instead of a space.
  return `otpauth://totp/${label}?${facts.toString().replaceAll('+', '%20')}`;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding (RFC 4648), in which people type a secret. */
export function base32(bytes: Buffer): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31]!;
    value &= 0xff;
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31]!;
}
