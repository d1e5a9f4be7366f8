import fc from 'fast-check';
import { type BillingPeriod, periodOf, secondsBetween } from '../domain/billing-period.js';
import { PLAN_IDS } from '../../plans/plan.js';
import { baseFeeOf, type PriceFrom } from './base-fee.js';

const NOVEMBER = periodOf(new Date('2026-11-15T12:00:00Z'));
const at = (text: string): Date => new Date(`2026-11-${text}Z`);
const change = (effectiveAt: Date, priceNano: bigint): PriceFrom => ({ toPlan: 'builder', priceNano, effectiveAt });
const sum = (period: BillingPeriod, changes: readonly PriceFrom[], endsAt?: Date): bigint =>
  baseFeeOf(period, changes, endsAt).reduce((total, { amountNano }) => total + amountNano, 0n);

const months = fc.integer({ min: 0, max: 600 }).map((month) => periodOf(new Date(Date.UTC(2000, month))));
const histories = months.chain((period) =>
  fc.record({
    period: fc.constant(period),
    changes: fc
      .array(
        fc.record({
          toPlan: fc.constantFrom(...PLAN_IDS),
          priceNano: fc.bigInt({ min: 0n, max: 10_000_000_000_000n }),
          // From two months before until the end, in whole seconds.
          effectiveAt: fc
            .integer({ min: -5_000_000, max: Number(secondsBetween(period.from, period.to)) - 1 })
            .map((second) => new Date(period.from.getTime() + second * 1_000)),
        }),
        { maxLength: 12 },
      )
      .map((changes) => changes.sort((one, other) => one.effectiveAt.getTime() - other.effectiveAt.getTime())),
  }),
);

/** ∫ price dt, times the seconds of the period, second by second of each change: as a sum of steps of the price. */
function integral({ from, to }: BillingPeriod, changes: readonly PriceFrom[]): bigint {
  let [total, price] = [0n, 0n];
  for (const { priceNano, effectiveAt } of changes) {
    total += (priceNano - price) * secondsBetween(effectiveAt > from ? effectiveAt : from, to);
    price = priceNano;
  }
  return total;
}

describe('the base fee of a period', () => {
  it('is the price of the plan for a whole month, and nothing before the first plan', () => {
    expect(baseFeeOf(NOVEMBER, [change(at('01T00:00:00'), 49n)])).toMatchObject([
      { amountNano: 49n, seconds: 2_592_000n },
    ]);
    expect(baseFeeOf(NOVEMBER, [])).toEqual([]);
  });

  it('is half of either plan where the change is in the middle of the month', () => {
    const segments = baseFeeOf(NOVEMBER, [
      change(new Date('2026-08-03T10:00:00Z'), 49_000_000_000n),
      change(at('16T00:00:00'), 299_000_000_000n),
    ]);
    expect(segments.map(({ amountNano }) => amountNano)).toEqual([24_500_000_000n, 149_500_000_000n]);
    expect(segments.map(({ from, to }) => [from, to])).toEqual([
      [NOVEMBER.from, at('16T00:00:00')],
      [at('16T00:00:00'), NOVEMBER.to],
    ]);
  });

  it('ends with the organization', () => {
    expect(sum(NOVEMBER, [change(NOVEMBER.from, 2_592_000n)], at('01T00:00:10'))).toBe(10n);
  });

  it('comes to the integral of the price over the time, within one nano-dollar in all and for each part', () => {
    fc.assert(
      fc.property(histories, ({ period, changes }) => {
        const seconds = secondsBetween(period.from, period.to);
        expect(sum(period, changes)).toBe(integral(period, changes) / seconds);
        for (const { priceNano, seconds: held, amountNano } of baseFeeOf(period, changes)) {
          const off = amountNano * seconds - priceNano * held;
          expect(off < seconds && off > -seconds).toBe(true);
        }
      }),
    );
  });

  it('is the same wherever the period is split', () => {
    fc.assert(
      fc.property(
        histories,
        fc.array(fc.integer({ min: 0, max: 2_678_400 }), { maxLength: 8 }),
        ({ period, changes }, splits) => {
          const split = splits
            .map((second) => new Date(period.from.getTime() + second * 1_000))
            .filter((time) => time < period.to);
          // A change to what already holds splits the period in two.
          const more = split.map((effectiveAt) => {
            const held = changes.findLast((earlier) => earlier.effectiveAt <= effectiveAt);
            return { toPlan: held?.toPlan ?? ('free' as const), priceNano: held?.priceNano ?? 0n, effectiveAt };
          });
          const all = [...changes, ...more].sort(
            (one, other) => one.effectiveAt.getTime() - other.effectiveAt.getTime(),
          );
          expect(sum(period, all)).toBe(sum(period, changes));
        },
      ),
    );
  });
});
