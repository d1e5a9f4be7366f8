import { type BillingPeriod, secondsBetween } from '../domain/billing-period.js';
import type { PlanId } from '../../plans/plan.js';

/** From a time on, a month costs so much. */
export interface PriceFrom {
  readonly toPlan: PlanId;
  readonly priceNano: bigint;
  readonly effectiveAt: Date;
}

/** A part of a period with one plan, and what it costs. */
export interface PlanSegment {
  readonly plan: PlanId;
  readonly priceNano: bigint;
  readonly from: Date;
  readonly to: Date;
  readonly seconds: bigint;
  readonly amountNano: bigint;
}

/**
 * What the plans of a period cost, to the second. `changes` are all that are in effect before its end, in order; before
 * the first of them nothing was paid for. Nothing is after `endsAt`, where the organization was deleted.
 *
 * It is the running sum that is rounded, down: the parts come to the integral of the price over the time, less than one
 * nano-dollar short of it, however many they are and wherever they are split.
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
