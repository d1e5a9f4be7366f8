const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const COUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

/** `−$0.000123456`, `$1.00`: all digits of a decimal, as a number would lose some, and cents at least. */
export function exactly(usd: string): string {
  const isNegative = usd.startsWith('-');
  const [whole = '0', fraction = ''] = (isNegative ? usd.slice(1) : usd).split('.');
  return `${isNegative ? '−' : ''}$${whole}.${fraction.padEnd(2, '0')}`;
}

/** How many whole units make one that people count in. */
const LARGER: Readonly<Record<string, readonly [units: number, name: string]>> = {
  ms: [3_600_000, 'h'],
  s: [86_400, 'days'],
  byte_hours: [1_000_000_000, 'GB·h'],
};

/** `10 h`, `9,000 GB·h`, `1,200 tokens` */
export function quantityInWords(quantity: string, unit: string): string {
  const [units, name] = LARGER[unit] ?? [1, unit];
  return `${COUNT.format(Number(quantity) / units)} ${name}`.trim();
}

export const dayOf = (at: string): string => DAY.format(new Date(at));
export const monthOf = (at: string): string => MONTH.format(new Date(at));
