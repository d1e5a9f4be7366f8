import { randomUUID } from 'node:crypto';
import { MonthCloseRun } from '../../src/modules/billing/invoices/month-close-run.js';
import { type BillingPeriod, periodOf } from '../../src/modules/billing/domain/billing-period.js';
import { type UsageEvent, UsageService } from '../../src/modules/metering/usage.service.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, type Make } from '../support/make.js';
import { type TestApp } from '../support/test-app.js';

const HOUR_MS = 3_600_000;

/** Months that follow one another: the tests of a file share a database, in which a month is closed for everybody. */
export class Months {
  private now: Date;

  constructor(
    private readonly app: TestApp,
    private readonly make: Make,
    before = new Date(),
  ) {
    this.now = periodOf(before).to;
  }

  get period(): BillingPeriod {
    return periodOf(this.now);
  }

  /** From now on it is this time, by the second of the present month. */
  at(second: number): Date {
    return this.setTime(new Date(this.period.from.getTime() + Math.round(second * 1_000)));
  }

  /** The next month begins, with nothing in it. */
  async begin(): Promise<BillingPeriod> {
    this.setTime(this.period.to);
    await this.make.sql(
      'INSERT INTO closed_periods (period_from, closed_at) VALUES ($1, now()) ON CONFLICT DO NOTHING',
      [new Date(this.now.getTime() - 1).toISOString().slice(0, 7) + '-01T00:00:00Z'],
    );
    // The timer would do so later, and refuse what is written to the month at that moment.
    if (this.app.hasWorker) await this.app.runSchedule('partitions');
    return this.period;
  }

  /** The month is over, and so is the time that is given to those who are late. */
  end(): void {
    this.setTime(new Date(this.period.to.getTime() + 49 * HOUR_MS));
  }

  /** Ends the month like {@link end}, and closes it. */
  close(): Promise<{ organizations: number; failed: number }> {
    this.end();
    return this.app.get(MonthCloseRun).closeAllDue();
  }

  async use(orgId: string, input: Pick<UsageEvent, 'meter' | 'quantity'> & Partial<UsageEvent>): Promise<void> {
    await this.app
      .get(UsageService)
      .record([{ source: 'test', sourceId: randomUUID(), orgId, occurredAt: this.now, ...input }]);
  }

  async invoicesOf(key: string): Promise<any[]> {
    return expectStatus(200, await this.app.fetch('/api/v1/billing/invoices?limit=100', as(key))).body.data as any[];
  }

  async invoice(key: string, id: string): Promise<any> {
    return expectStatus(200, await this.app.fetch(`/api/v1/billing/invoices/${id}`, as(key))).body.data;
  }

  private setTime(time: Date): Date {
    this.now = time;
    const clock = this.app.get(Clock);
    clock.now = () => new Date(this.now);
    return time;
  }
}
