import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicJobs } from '../../../platform/lifecycle/periodic-jobs.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import { SandboxMetrics } from '../sandbox.metrics.js';
import { ExecutionEnds } from './execution-ends.service.js';
import { OrgPlaces } from './org-places.js';

const SWEEP_EVERY_MS = 5_000;
const FORGET_EVERY_MS = 5 * 60_000;
const KEPT_MS = 30 * 86_400_000;
/** Each may hold 2 MiB. */
const BATCH = 500;
/** What one worker deletes in five minutes at most. */
const BATCHES = 20;

/** In the worker: gives up executions that were lost with their worker, and deletes those that are kept no longer. */
@Injectable()
export class ExecutionSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly ends: ExecutionEnds,
    private readonly places: OrgPlaces,
    private readonly metrics: SandboxMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly jobs: PeriodicJobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.start({ name: 'giving up lost executions', everyMs: SWEEP_EVERY_MS, run: () => this.loseOverdue() });
    this.jobs.start({ name: 'deleting old executions', everyMs: FORGET_EVERY_MS, run: () => this.forgetOld() });
  }

  /** Executions that should have ended by now and of which nothing was heard become `lost`. */
  async loseOverdue(): Promise<void> {
    for (const { id, orgId, language } of await this.ends.loseOverdue()) {
      this.log.warn({ executionId: id, orgId }, 'A sandbox execution was lost: its worker did not tell how it ended.');
      this.metrics.lostExecution(language);
      await this.places.free(orgId, id);
    }
  }

  /** Deletes executions that are older than 30 days; of very many, only some at a time. */
  async forgetOld(): Promise<void> {
    const createdBefore = new Date(this.clock.now().getTime() - KEPT_MS);
    for (let batch = 0; batch < BATCHES; batch++) {
      if ((await this.executions.deleteOlderThan(createdBefore, BATCH)) < BATCH) return;
    }
  }
}
