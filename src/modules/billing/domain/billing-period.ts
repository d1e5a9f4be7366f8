const SECOND_MS = 1_000;

/** The period of an invoice: a calendar month in UTC. `to` is the first moment of the next one. */
export interface BillingPeriod {
  readonly from: Date;
  readonly to: Date;
}

/** Returns the month that contains a time. */
export function periodOf(at: Date): BillingPeriod {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { from: new Date(Date.UTC(year, month)), to: new Date(Date.UTC(year, month + 1)) };
}

/** Plans are billed by the second. The second of a change belongs to the new plan. */
export const wholeSecond = (at: Date): Date => new Date(Math.floor(at.getTime() / SECOND_MS) * SECOND_MS);

export const secondsBetween = (from: Date, to: Date): bigint => BigInt((to.getTime() - from.getTime()) / SECOND_MS);

/** Formats a period, such as `2026-11`. */
export const nameOfPeriod = ({ from }: BillingPeriod): string => from.toISOString().slice(0, 7);
