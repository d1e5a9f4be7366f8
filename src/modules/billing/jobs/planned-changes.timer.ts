import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { PlannedChanges } from '../subscriptions/planned-changes.service.js';

const EVERY_MS = 15_000;

/** In the worker: lets planned changes of plans take effect. The bill goes by the time they were planned for, not by when it looks. */
@Injectable()
export class PlannedChangesTimer implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly changes: PlannedChanges,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => { this.running ??= this.tick(); }, EVERY_MS);
    this.timer.unref();
  }

  private async tick(): Promise<void> {
    try {
      await this.changes.applyAll();
    } catch (error) {
      this.log.warn({ error }, 'Planned changes of plans could not take effect; trying again.');
    } finally {
      this.running = undefined;
    }
  }

  private async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
