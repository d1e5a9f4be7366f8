import { trimEnd } from '../text/trim.js';

/** Money is counted in whole nano-dollars and is never a float. */
export const NANO_PER_USD = 1_000_000_000n;

const DECIMALS = 9;
/** The limit is above any amount of the service, and leaves room for sums in a bigint of the database. */
const USD = /^(-?)(\d{1,9})(?:\.(\d{1,9}))?$/;

/** Formats dollars for the API: exact decimals without trailing zeros. `123456n` is `0.000123456`. */
export function formatUsd(nano: bigint): string {
  const digits = (nano < 0n ? -nano : nano).toString().padStart(DECIMALS + 1, '0');
  const fraction = trimEnd(digits.slice(-DECIMALS), '0');
  return `${nano < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * Reads what {@link formatUsd} writes: at most nine digits before the point and nine after it, and no exponent.
 * @throws {RangeError} when it is anything else.
 */
export function parseUsd(text: string): bigint {
  const [, sign, dollars, fraction = ''] = USD.exec(text) ?? [];
  if (dollars === undefined) throw new RangeError('Not an amount in dollars.');
  const nano = BigInt(dollars) * NANO_PER_USD + BigInt(fraction.padEnd(DECIMALS, '0'));
  return sign === '-' ? -nano : nano;
}
