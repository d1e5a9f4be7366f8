import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicJobs } from '../../../platform/background/schedules.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { MonthClosings } from '../invoices/month-closings.service.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import { PaymentsStore } from '../persistence/payments.store.js';

const EVERY_MS = 10 * 60_000;
/** No provider tells anything again after that. */
const EVENTS_KEPT_MS = 90 * 86_400_000;

/** In the worker: closes months that are over, marks invoices that are not paid in time, and forgets what a provider told long ago. */
@Injectable()
export class MonthClosingTimer implements OnApplicationBootstrap {
  constructor(
    private readonly closings: MonthClosings,
    private readonly invoices: InvoicesStore,
    private readonly payments: PaymentsStore,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly jobs: PeriodicJobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.start({ name: 'closing months', everyMs: EVERY_MS, run: (stopping) => this.run(stopping) });
  }

  /** May run in several processes at once: they do the same work, once. */
  async run(stopping: AbortSignal = new AbortController().signal): Promise<void> {
    const { organizations, failed } = await this.closings.closeAllDue(stopping);
    if (organizations > 0) this.log.info({ organizations, failed }, 'Months were closed.');
    const now = this.clock.now();
    await this.invoices.markOverdue(now);
    await this.payments.forgetBefore(new Date(now.getTime() - EVENTS_KEPT_MS));
  }
}
