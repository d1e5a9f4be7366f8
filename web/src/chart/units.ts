/** What the values of a chart count. Money is in US dollars. */
export type Unit = 'money' | 'count' | 'ms' | 'bytes';

const MONEY = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const SMALL_MONEY = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 });
const COUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const BYTES = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** `$0.0042`: cents would hide what a single call costs. */
export function money(usd: number): string {
  return usd !== 0 && Math.abs(usd) < 0.01 ? SMALL_MONEY.format(usd) : MONEY.format(usd);
}

/** A value with its unit, as in `1.5 MB`. */
export function inUnit(value: number, unit: Unit): string {
  switch (unit) {
    case 'money':
      return money(value);
    case 'count':
      return COUNT.format(value);
    case 'ms':
      return value >= 1_000 ? `${COUNT.format(value / 1_000)} s` : `${COUNT.format(value)} ms`;
    case 'bytes':
      return bytes(value);
  }
}

/** The same for the labels of an axis, which have little room. */
export function onAxis(value: number, unit: Unit): string {
  return unit === 'count' ? COMPACT.format(value) : inUnit(value, unit);
}

function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(value) / 3));
  return `${COUNT.format(value / 1_000 ** power)} ${BYTES[power]!}`;
}
