import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicJobs } from '../../../platform/background/schedules.js';
import { Clock } from '../../../platform/time/clock.js';
import { ExecutionsStore } from '../persistence/executions.store.js';

const EVERY_MS = 5 * 60_000;
const KEPT_MS = 30 * 86_400_000;
/** Each may hold 2 MiB. */
const BATCH = 500;
/** What one worker deletes in five minutes at most. */
const BATCHES = 20;

/** In the worker: deletes executions that are kept no longer. */
@Injectable()
export class OldExecutionsSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly clock: Clock,
    private readonly jobs: PeriodicJobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.start({ name: 'deleting old executions', everyMs: EVERY_MS, run: () => this.forgetOld() });
  }

  /** Deletes executions that are older than 30 days; of very many, only some at a time. */
  async forgetOld(): Promise<void> {
    const createdBefore = new Date(this.clock.now().getTime() - KEPT_MS);
    for (let batch = 0; batch < BATCHES; batch++) {
      if ((await this.executions.deleteOlderThan(createdBefore, BATCH)) < BATCH) return;
    }
  }
}
