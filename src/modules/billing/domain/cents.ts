/** Invoices are paid in whole cents. All earlier amounts are in nano-dollars. */
export const NANO_PER_CENT = 10_000_000n;

/** Rounds to the nearest cent, and half a cent up. */
export const roundToCents = (nano: bigint): bigint => {
  const doubled = 2n * nano + NANO_PER_CENT;
  const cents = doubled / (2n * NANO_PER_CENT);
  // Division truncates towards zero.
  return doubled < 0n && doubled % (2n * NANO_PER_CENT) !== 0n ? cents - 1n : cents;
};

/** Formats an amount for people and the API, such as `12.30`. */
export function formatCents(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
