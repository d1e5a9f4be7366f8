/** Reads JSON of other services, which may be anything. */
export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A count of tokens. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

export const textsOf = (value: unknown): string[] => listOf(value).filter((each) => typeof each === 'string');

/** The entries of a list of models. A service that answers anything else has no list. */
export function modelsIn(answer: unknown): readonly Fields[] {
  const { data } = fieldsOf(answer);
  if (!Array.isArray(data)) throw new Error('The router answered GET /models without a list `data`.');
  return data.map(fieldsOf).filter(({ id }) => typeof id === 'string' && id !== '');
}

const MAX_DECIMALS = 30;

/**
 * Converts a decimal number of dollars to nano-dollars, rounded up, times a factor. Prices of a single token have more
 * than nine decimals, so the factor is applied before rounding.
 *
 * @returns undefined for anything but a decimal number, which may be negative and may have an exponent.
 */
export function nanoOf(usd: unknown, factor = 1n): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d{1,18})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i.exec(
      typeof usd === 'number' ? String(usd) : typeof usd === 'string' ? usd : '',
    ) ?? [];
  if (whole === '') return undefined;
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction) * factor * 1_000_000_000n;
  const nano = places <= 0 ? digits * 10n ** BigInt(-places) : dividedUp(digits, 10n ** BigInt(places));
  if (places > MAX_DECIMALS + 40) return undefined;
  return sign === '-' ? -nano : nano;
}

export const dividedUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;
