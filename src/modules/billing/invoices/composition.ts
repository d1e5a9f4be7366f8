import assert from 'node:assert/strict';
import type { BilledUsage } from '../../credits/billed-usage.js';
import { METERS } from '../../metering/meter.js';
import type { UsageTotal } from '../../metering/usage-totals.service.js';
import type { BillingPeriod } from '../domain/billing-period.js';
import { NANO_PER_CENT, roundToCents } from '../domain/cents.js';
import type { InvoiceLine } from '../persistence/invoice-line.entity.js';
import type { PlanSegment } from '../subscriptions/base-fee.js';

export type LineFacts = Omit<InvoiceLine, 'invoiceId' | 'position' | 'priceNano' | 'pricedPer'>;

export interface Composition {
  /** The lines in order. They add up to the total. */
  readonly lines: readonly LineFacts[];
  readonly totalCents: bigint;
  /** The shares of the total by ledger account. */
  readonly shares: Shares;
}

/** All amounts are in nano-dollars. `billedNano` + `earnedNano` + `roundingNano` is the total. */
export interface Shares {
  /** Usage beyond the credits, which was booked as owed at the time of use. */
  readonly billedNano: bigint;
  /** Base fees and usage without a hold, which are booked with the invoice. */
  readonly earnedNano: bigint;
  /** Usage without a hold of an organization that is not billed for usage. */
  readonly lostNano: bigint;
  readonly roundingNano: bigint;
}

interface Month {
  readonly period: BillingPeriod;
  readonly segments: readonly PlanSegment[];
  /** All usage that the period bills. */
  readonly totals: readonly UsageTotal[];
  /** How usage with a hold was paid for. */
  readonly paid: BilledUsage;
  /** True when usage beyond the credits is billed, as on every plan but Free. */
  readonly isBilledForUsage: boolean;
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Composes the lines of a month's invoice. There are none if there is nothing to show. */
export function compose({ period, segments, totals, paid, isBilledForUsage }: Month): Composition {
  const fees = segments.filter(({ priceNano }) => priceNano > 0n).map((segment) => feeLine(segment));
  const usage = totals
    .filter(({ quantity }) => quantity > 0n)
    .toSorted(byMeter)
    .map((total) => usageLine(total, period));
  const feeNano = sum(fees.map(({ amountNano }) => amountNano));
  const unheldNano = sum(usage.map(({ amountNano }) => amountNano)) - paid.costNano;
  assert(unheldNano >= 0n, 'More usage was paid for than was recorded.');
  const lostNano = isBilledForUsage ? 0n : unheldNano;

  const exactNano = feeNano + paid.billedNano + unheldNano - lostNano;
  const totalCents = roundToCents(exactNano);
  const roundingNano = totalCents * NANO_PER_CENT - exactNano;
  const lines = [
    ...fees,
    ...usage,
    ...amountLine('credits', -paid.fromCreditsNano, period),
    ...amountLine('not_charged', -(paid.lostNano + paid.refundedNano + lostNano), period),
    ...amountLine('rounding', roundingNano, period),
  ];
  assert.equal(sum(lines.map(({ amountNano }) => amountNano)), totalCents * NANO_PER_CENT);
  return {
    lines,
    totalCents,
    shares: { billedNano: paid.billedNano, earnedNano: feeNano + unheldNano - lostNano, lostNano, roundingNano },
  };
}

/** Adjustments come last. Otherwise the order of the totals is kept. */
const byMeter = (one: UsageTotal, other: UsageTotal): number =>
  Number(one.isLate) - Number(other.isLate) || METERS.indexOf(one.meter) - METERS.indexOf(other.meter);

const NOTHING = { plan: null, meter: null, model: null, priceVersion: null, quantity: null, unit: null };

const feeLine = ({ plan, seconds, from, to, amountNano }: PlanSegment): LineFacts => ({
  ...NOTHING,
  kind: 'base_fee',
  plan,
  quantity: seconds,
  unit: 's',
  periodFrom: from,
  periodTo: to,
  amountNano,
});

function usageLine(
  { meter, model, priceVersionId, quantity, unit, usedIn, isLate, costNano }: UsageTotal,
  period: BillingPeriod,
): LineFacts {
  const periodTo = isLate ? new Date(Date.UTC(usedIn.getUTCFullYear(), usedIn.getUTCMonth() + 1)) : period.to;
  return {
    ...NOTHING,
    kind: isLate ? 'adjustment' : 'usage',
    meter,
    model,
    priceVersion: priceVersionId,
    quantity,
    unit,
    periodFrom: usedIn,
    periodTo,
    amountNano: costNano,
  };
}

const amountLine = (kind: LineFacts['kind'], amountNano: bigint, { from, to }: BillingPeriod): LineFacts[] =>
  amountNano === 0n ? [] : [{ ...NOTHING, kind, periodFrom: from, periodTo: to, amountNano }];
