import { Injectable } from '@nestjs/common';
import { batchesOf } from '../../../platform/database/in-batches.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { type BilledOrg, OrgPlans } from '../../orgs/org-plans.js';
import { BillingMetrics } from '../metrics/billing.metrics.js';
import { type BillingPeriod, nameOfPeriod, periodOf } from '../domain/billing-period.js';
import { ClosedPeriodsStore } from '../persistence/closed-periods.store.js';
import { MonthCloseBatch } from './month-close-batch.js';

/** Usage is normally reported within this time. Later usage becomes an adjustment of the next month. */
const GRACE_MS = 48 * 3_600_000;
/** How many organizations go through each step together. */
const SET = 500;
/** Two sets run at once, so that one is calculated while the database works on the other. */
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
   * Closes all months that are due. If a month could not be closed for some organization, the next run tries it again
   * before later months.
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

  /** Yields organizations for which the month is open. */
  private async *openSets(period: BillingPeriod): AsyncGenerator<BilledOrg[]> {
    const sets = batchesOf<BilledOrg>((last, limit) => this.orgs.createdBefore(period.to, last?.id ?? '', limit), {
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
   * Returns how many organizations failed. A set that fails is split in halves down to the organization at fault, so
   * that others do not wait for it.
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
          'A month could not be closed for a set of organizations; closing each half separately.',
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
