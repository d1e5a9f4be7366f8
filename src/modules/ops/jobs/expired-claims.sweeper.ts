import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { OpsTasksStore } from '../persistence/ops-tasks.store.js';

const SWEEP_EVERY_MS = 2_000;
const KEPT_MS = 180 * 86_400_000;
const BATCH = 1_000;

/** In the worker: opens tasks again whose claim was not renewed in time, and deletes those long resolved. */
@Injectable()
export class ExpiredClaimsSweeper implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly tasks: OpsTasksStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => { this.running = this.tick(); }, SWEEP_EVERY_MS);
    this.timer.unref();
  }

  async sweep(): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async () => {
      for (const { id, holder } of await this.tasks.openExpired(now)) {
        await this.tasks.record({ id: this.ids.next('tev'), taskId: id, kind: 'claim_expired', actor: 'sweep', details: { holder }, at: now });
      }
    });
    await this.tasks.deleteResolvedBefore(new Date(now.getTime() - KEPT_MS), BATCH);
  }

  private async tick(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      // Readiness tells that the database is away.
      this.log.debug({ error }, 'Expired claims could not be swept.');
    }
  }

  private async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
