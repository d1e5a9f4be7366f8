const SECOND_MS = 1_000;

/** What is billed together: a calendar month in UTC. `to` is the first moment that belongs to the next one. */
export interface BillingPeriod {
  readonly from: Date;
  readonly to: Date;
}

/** The month that a time falls into. */
export function periodOf(at: Date): BillingPeriod {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { from: new Date(Date.UTC(year, month)), to: new Date(Date.UTC(year, month + 1)) };
}

/** Plans are paid for by the second: the one in which a change is made belongs to the new plan. */
export const wholeSecond = (at: Date): Date => new Date(Math.floor(at.getTime() / SECOND_MS) * SECOND_MS);

export const secondsBetween = (from: Date, to: Date): bigint => BigInt((to.getTime() - from.getTime()) / SECOND_MS);

/** `2026-11` */
export const nameOfPeriod = ({ from }: BillingPeriod): string => from.toISOString().slice(0, 7);
