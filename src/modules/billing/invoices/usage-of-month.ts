import { Injectable } from '@nestjs/common';
import { type UsageTotal, UsageTotalsService } from '../../metering/usage-totals.service.js';
import { BillingMetrics } from '../metrics/billing.metrics.js';
import type { BillingPeriod } from '../domain/billing-period.js';

/** The roll-ups and the events of a month disagree. No invoice is created from either until that is resolved. */
export class UsageDrifted extends Error {
  constructor(
    readonly orgId: string,
    readonly driftNano: bigint,
  ) {
    super(`The usage of ${orgId} differs from its events by ${driftNano} nano-dollars.`);
  }
}

interface CountedUsage {
  /** The totals of organizations whose roll-ups agree with their events. */
  readonly totals: ReadonlyMap<string, readonly UsageTotal[]>;
  /** An error for each of the other organizations. */
  readonly drifted: readonly UsageDrifted[];
}

/** Counts the usage of a closed month from roll-ups and from events, and compares both. */
@Injectable()
export class UsageOfMonth {
  constructor(
    private readonly totals: UsageTotalsService,
    private readonly metrics: BillingMetrics,
  ) {}

  /** The comparison is exact to the nano-dollar. */
  async of(orgIds: readonly string[], { from, to }: BillingPeriod): Promise<CountedUsage> {
    const [rolledUp, recomputed] = [
      await this.totals.totalsOf(orgIds, from, to),
      await this.totals.recomputeFromEvents(orgIds, from),
    ];
    const same = orgIds.filter((orgId) => isSame(rolledUp.get(orgId)!, recomputed.get(orgId)!));
    const totals = new Map(same.map((orgId) => [orgId, rolledUp.get(orgId)!]));
    const drifted = orgIds
      .filter((orgId) => !totals.has(orgId))
      .map((orgId) => new UsageDrifted(orgId, costOf(rolledUp.get(orgId)!) - costOf(recomputed.get(orgId)!)));
    for (let count = 0; count < drifted.length; count++) this.metrics.drifted();
    return { totals, drifted };
  }
}

const costOf = (totals: readonly UsageTotal[]): bigint => totals.reduce((sum, { costNano }) => sum + costNano, 0n);

const isSame = (one: readonly UsageTotal[], other: readonly UsageTotal[]): boolean =>
  one.length === other.length && one.every((total, index) => nameOf(total) === nameOf(other[index]!));

const nameOf = ({ meter, model, priceVersionId, month, usedIn, quantity, costNano, events }: UsageTotal): string =>
  [meter, model, priceVersionId, month.getTime(), usedIn.getTime(), quantity, costNano, events].join(' ');
