const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `−$0.000123456`: all digits of a decimal, as a number would lose some. */
export function exactly(usd: string): string {
  return usd.startsWith('-') ? `−$${usd.slice(1)}` : `$${usd}`;
}

export const dayOf = (at: string): string => DAY.format(new Date(at));
export const monthOf = (at: string): string => MONTH.format(new Date(at));
