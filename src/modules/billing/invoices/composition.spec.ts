import fc from 'fast-check';
import type { UsageTotal } from '../../metering/usage-totals.service.js';
import { periodOf } from '../domain/billing-period.js';
import { NANO_PER_CENT } from '../domain/cents.js';
import type { PlanSegment } from '../subscriptions/base-fee.js';
import { compose } from './composition.js';

const period = periodOf(new Date('2026-11-15T00:00:00Z'));
const nano = fc.bigInt({ min: 0n, max: 10n ** 13n });

const segment = (amountNano: bigint): PlanSegment => ({
  plan: 'builder',
  priceNano: 49n,
  from: period.from,
  to: period.to,
  seconds: 1n,
  amountNano,
});
const total = (costNano: bigint): UsageTotal => ({
  meter: 'sandbox_compute',
  model: null,
  priceVersionId: 'x',
  month: period.from,
  usedIn: period.from,
  isLate: false,
  quantity: costNano + 1n,
  unit: 'ms',
  costNano,
  events: 1,
});

describe('the lines of an invoice', () => {
  it('are its total in whole cents, and what is entered in the books, whatever was paid, lost and given back', () => {
    fc.assert(
      fc.property(
        fc.array(nano, { maxLength: 4 }),
        fc.record({ credits: nano, billed: nano, lost: nano, refunded: nano, unheld: nano }),
        fc.boolean(),
        (fees, parts, isBilledForUsage) => {
          const costNano = parts.credits + parts.billed + parts.lost + parts.refunded;
          const { lines, totalCents, shares } = compose({
            period,
            isBilledForUsage,
            segments: fees.map(segment),
            totals: [total(costNano + parts.unheld)],
            paid: {
              costNano,
              fromCreditsNano: parts.credits,
              billedNano: parts.billed,
              lostNano: parts.lost,
              refundedNano: parts.refunded,
            },
          });
          const sum = lines.reduce((all, { amountNano }) => all + amountNano, 0n);
          expect(sum).toBe(totalCents * NANO_PER_CENT);
          expect(shares.billedNano + shares.earnedNano + shares.roundingNano).toBe(sum);
          expect(shares.lostNano).toBe(isBilledForUsage ? 0n : parts.unheld);
          const owed = fees.reduce((all, fee) => all + fee, 0n) + parts.billed + (isBilledForUsage ? parts.unheld : 0n);
          expect(2n * (sum - owed) <= NANO_PER_CENT && 2n * (sum - owed) > -NANO_PER_CENT).toBe(true);
        },
      ),
    );
  });

  it('are none where there is nothing to show', () => {
    expect(
      compose({
        period,
        isBilledForUsage: true,
        segments: [segment(0n)].map((free) => ({ ...free, priceNano: 0n })),
        totals: [],
        paid: { costNano: 0n, fromCreditsNano: 0n, billedNano: 0n, lostNano: 0n, refundedNano: 0n },
      }).lines,
    ).toEqual([]);
  });
});
