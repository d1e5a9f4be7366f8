import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
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
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  constructor(
    private readonly closings: MonthClosings,
    private readonly invoices: InvoicesStore,
    private readonly payments: PaymentsStore,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => { this.running ??= this.tick(); }, EVERY_MS);
    this.timer.unref();
  }

  /** May run in several processes at once: they do the same work, once. */
  async run(): Promise<void> {
    const { organizations, failed } = await this.closings.closeAllDue(this.stopping.signal);
    if (organizations > 0) this.log.info({ organizations, failed }, 'Months were closed.');
    const now = this.clock.now();
    await this.invoices.markOverdue(now);
    await this.payments.forgetBefore(new Date(now.getTime() - EVENTS_KEPT_MS));
  }

  private async tick(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.log.warn({ error }, 'Months could not be closed; trying again.');
    } finally {
      this.running = undefined;
    }
  }

  private async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }
}
