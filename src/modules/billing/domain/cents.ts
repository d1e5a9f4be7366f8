/** Invoices are paid in whole cents; everything before that is counted in nano-dollars. */
export const NANO_PER_CENT = 10_000_000n;

/** The nearest whole cents; what is in the middle becomes more. */
export const roundToCents = (nano: bigint): bigint => {
  const doubled = 2n * nano + NANO_PER_CENT;
  const cents = doubled / (2n * NANO_PER_CENT);
  // Division cuts towards zero.
  return doubled < 0n && doubled % (2n * NANO_PER_CENT) !== 0n ? cents - 1n : cents;
};

/** As people and the wire have it: `12.30`. */
export function formatCents(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
