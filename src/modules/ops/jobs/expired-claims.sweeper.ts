import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { PeriodicJobs } from '../../../platform/background/schedules.js';
import { Clock } from '../../../platform/time/clock.js';
import { OpsTasksStore } from '../persistence/ops-tasks.store.js';

const SWEEP_EVERY_MS = 2_000;
const KEPT_MS = 180 * 86_400_000;
const BATCH = 1_000;

/** In the worker: opens tasks again whose claim was not renewed in time, and deletes those long resolved. */
@Injectable()
export class ExpiredClaimsSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly tasks: OpsTasksStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly jobs: PeriodicJobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.start({ name: 'sweeping expired claims', everyMs: SWEEP_EVERY_MS, run: () => this.sweep() });
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
}
