const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `1.5 MiB` */
export function bytesInWords(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1_024 && unit < UNITS.length - 1) {
    amount /= 1_024;
    unit++;
  }
  return `${NUMBER.format(amount)} ${UNITS[unit]!}`;
}
