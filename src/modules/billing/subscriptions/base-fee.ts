import { type BillingPeriod, secondsBetween } from '../domain/billing-period.js';
import type { PlanId } from '../../plans/plan.js';

/** The price of a month from a time on. */
export interface PriceFrom {
  readonly toPlan: PlanId;
  readonly priceNano: bigint;
  readonly effectiveAt: Date;
}

/** A part of a period with one plan and its cost. */
export interface PlanSegment {
  readonly plan: PlanId;
  readonly priceNano: bigint;
  readonly from: Date;
  readonly to: Date;
  readonly seconds: bigint;
  readonly amountNano: bigint;
}

/**
 * Calculates what the plans of a period cost, to the second. `changes` are all changes in effect before its end, in
 * order; before the first of them nothing was paid for. A deleted organization pays until `endsAt`.
 *
 * The running sum is rounded down, not each part. So the parts add up to the integral of the price over time, less than
 * one nano-dollar short of it, wherever the period is split.
 */
export function baseFeeOf(
  period: BillingPeriod,
  changes: readonly PriceFrom[],
  endsAt: Date | null = null,
): PlanSegment[] {
  const end = earlier(period.to, endsAt);
  const secondsOfPeriod = secondsBetween(period.from, period.to);
  const segments: PlanSegment[] = [];
  let exact = 0n;
  let charged = 0n;
  for (const [index, { toPlan, priceNano, effectiveAt }] of changes.entries()) {
    const from = effectiveAt > period.from ? effectiveAt : period.from;
    const to = earlier(end, changes[index + 1]?.effectiveAt ?? null);
    if (to <= from) continue;
    const seconds = secondsBetween(from, to);
    exact += priceNano * seconds;
    const amountNano = exact / secondsOfPeriod - charged;
    charged += amountNano;
    segments.push({ plan: toPlan, priceNano, from, to, seconds, amountNano });
  }
  return segments;
}

const earlier = (one: Date, other: Date | null): Date => (other !== null && other < one ? other : one);
