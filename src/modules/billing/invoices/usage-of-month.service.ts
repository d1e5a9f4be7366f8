import { Injectable } from '@nestjs/common';
import { UsageTotalsService, type UsageTotal } from '../../metering/usage-totals.service.js';
import { BillingMetrics } from '../billing.metrics.js';
import type { BillingPeriod } from '../billing-period.js';

/** The roll-ups and the events of a month disagree: no invoice is made of either before somebody has looked. */
export class UsageDrifted extends Error {
  constructor(readonly orgId: string, readonly driftNano: bigint) {
    super(`The usage of ${orgId} differs from its events by ${driftNano} nano-dollars.`);
  }
}

/** What an organization has used in a closed month, counted twice. */
@Injectable()
export class UsageOfMonth {
  constructor(
    private readonly totals: UsageTotalsService,
    private readonly metrics: BillingMetrics,
  ) {}

  /** @throws {UsageDrifted} when the roll-ups are not what the events come to, to the nano-dollar. */
  async of(orgId: string, { from, to }: BillingPeriod): Promise<UsageTotal[]> {
    const [rolledUp, recomputed] = [await this.totals.totals(orgId, from, to), await this.totals.recomputeFromEvents(orgId, from)];
    if (isSame(rolledUp, recomputed)) return rolledUp;
    this.metrics.drifted();
    throw new UsageDrifted(orgId, costOf(rolledUp) - costOf(recomputed));
  }
}

const costOf = (totals: readonly UsageTotal[]): bigint => totals.reduce((sum, { costNano }) => sum + costNano, 0n);

const isSame = (one: readonly UsageTotal[], other: readonly UsageTotal[]): boolean =>
  one.length === other.length && one.every((total, index) => nameOf(total) === nameOf(other[index]!));

const nameOf = ({ meter, model, priceVersionId, month, usedIn, quantity, costNano, events }: UsageTotal): string =>
  [meter, model, priceVersionId, month.getTime(), usedIn.getTime(), quantity, costNano, events].join(' ');
