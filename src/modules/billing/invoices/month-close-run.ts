import { Injectable } from '@nestjs/common';
import { batchesOf } from '../../../platform/database/in-batches.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { type BilledOrg, OrgPlans } from '../../orgs/org-plans.js';
import { BillingMetrics } from '../metrics/billing.metrics.js';
import { type BillingPeriod, nameOfPeriod, periodOf } from '../domain/billing-period.js';
import { ClosedPeriodsStore } from '../persistence/closed-periods.store.js';
import { MonthCloseBatch } from './month-close-batch.js';

/** What was used before its end is told of within that, as a rule; later it is an adjustment of the next month. */
const GRACE_MS = 48 * 3_600_000;
/** Organizations that go through each step together. */
const SET = 500;
/** One works out while the database works for another. */
const AT_ONCE = 2;
const NOT_CLOSED = 'A month could not be closed.';

export interface Closed {
  readonly organizations: number;
  readonly failed: number;
}

/** Closes every month that is over, for every organization, one month after the other. */
@Injectable()
export class MonthCloseRun {
  constructor(
    private readonly closing: MonthCloseBatch,
    private readonly closed: ClosedPeriodsStore,
    private readonly orgs: OrgPlans,
    private readonly metrics: BillingMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * A month that could not be closed for some organization is tried again the next time, before the months after it.
   */
  async closeAllDue(signal?: AbortSignal): Promise<Closed> {
    const sum = { organizations: 0, failed: 0 };
    for (;;) {
      const period = periodOf((await this.closed.last()).to);
      if (period.to.getTime() + GRACE_MS > this.clock.now().getTime()) return sum;
      const { organizations, failed } = await this.closeAll(period, signal);
      sum.organizations += organizations;
      sum.failed += failed;
      if (failed > 0 || signal?.aborted === true) return sum;
      await this.closed.add(period, this.clock.now());
    }
  }

  private async closeAll(period: BillingPeriod, signal: AbortSignal | undefined): Promise<Closed> {
    const sum = { organizations: 0, failed: 0 };
    const sets = this.openSets(period);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for await (const orgs of sets) {
          if (signal?.aborted === true) return;
          sum.organizations += orgs.length;
          sum.failed += await this.closeSet(orgs, period);
        }
      }),
    );
    return sum;
  }

  /** Organizations for which the month is open. */
  private async *openSets(period: BillingPeriod): AsyncGenerator<BilledOrg[]> {
    const sets = batchesOf<BilledOrg>((last, limit) => this.orgs.madeBefore(period.to, last?.id ?? '', limit), {
      size: SET,
    });
    for await (const orgs of sets) {
      const done = await this.closed.closedOf(
        orgs.map(({ id }) => id),
        period,
      );
      const open = orgs.filter(({ id }) => !done.has(id));
      if (open.length > 0) yield open;
    }
  }

  /**
   * How many failed. What fails for a set is tried for each half of it, down to the one that it fails for: that of one
   * organization keeps no other one waiting.
   */
  private async closeSet(orgs: readonly BilledOrg[], period: BillingPeriod): Promise<number> {
    try {
      const drifted = await this.closing.close(orgs, period);
      for (const error of drifted)
        this.log.error({ error, orgId: error.orgId, period: nameOfPeriod(period) }, NOT_CLOSED);
      return drifted.length;
    } catch (error) {
      if (orgs.length > 1) {
        this.log.warn(
          { error, organizations: orgs.length, period: nameOfPeriod(period) },
          'A month could not be closed for several organizations together; each half is tried.',
        );
        const middle = Math.ceil(orgs.length / 2);
        return (await this.closeSet(orgs.slice(0, middle), period)) + (await this.closeSet(orgs.slice(middle), period));
      }
      this.metrics.failed();
      this.log.error({ error, orgId: orgs[0]!.id, period: nameOfPeriod(period) }, NOT_CLOSED);
      return 1;
    }
  }
}
