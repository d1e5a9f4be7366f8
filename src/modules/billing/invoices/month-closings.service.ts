import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { type BilledOrg, OrgPlans } from '../../auth/org-plans.service.js';
import { BillingMetrics } from '../billing.metrics.js';
import { type BillingPeriod, nameOfPeriod, periodOf } from '../billing-period.js';
import { ClosedPeriodsStore } from '../persistence/closed-periods.store.js';
import { MonthClosing } from './month-closing.service.js';
import { UsageDrifted } from './usage-of-month.service.js';

/** What was used before its end is told of within that, as a rule; later it is an adjustment of the next month. */
const GRACE_MS = 48 * 3_600_000;
const BATCH = 500;
const AT_ONCE = 6;

export interface Closed {
  readonly organizations: number;
  readonly failed: number;
}

/** Closes every month that is over, for every organization, one month after the other. */
@Injectable()
export class MonthClosings {
  constructor(
    private readonly closing: MonthClosing,
    private readonly closed: ClosedPeriodsStore,
    private readonly orgs: OrgPlans,
    private readonly metrics: BillingMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** A month that could not be closed for some organization is tried again the next time, before the months after it. */
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
    for (let after = ''; signal?.aborted !== true;) {
      const orgs = await this.orgs.madeBefore(period.to, after, BATCH);
      const done = await this.closed.closedOf(orgs.map(({ id }) => id), period);
      const open = orgs.filter(({ id }) => !done.has(id));
      await Promise.all(Array.from({ length: AT_ONCE }, async () => {
        for (let org = open.shift(); org !== undefined && signal?.aborted !== true; org = open.shift()) {
          sum.organizations++;
          if (!(await this.closeOf(org, period))) sum.failed++;
        }
      }));
      if (orgs.length < BATCH) break;
      after = orgs.at(-1)!.id;
    }
    return sum;
  }

  /** False when it failed: that of one organization keeps no other one waiting. */
  private async closeOf(org: BilledOrg, period: BillingPeriod): Promise<boolean> {
    try {
      await this.closing.close(org, period);
      return true;
    } catch (error) {
      if (!(error instanceof UsageDrifted)) this.metrics.failed();
      this.log.error({ error, orgId: org.id, period: nameOfPeriod(period) }, 'A month could not be closed.');
      return false;
    }
  }
}
