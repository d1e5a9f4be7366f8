import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { MonthClosings } from '../invoices/month-closings.service.js';
import { InvoicesStore } from '../persistence/invoices.store.js';

const EVERY_MS = 10 * 60_000;

/** In the worker: closes months that are over, and marks invoices that are not paid in time. */
@Injectable()
export class MonthClosingTimer implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  constructor(
    private readonly closings: MonthClosings,
    private readonly invoices: InvoicesStore,
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
    await this.invoices.markOverdue(this.clock.now());
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
