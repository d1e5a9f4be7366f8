import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { ReachableTime } from '../../../platform/database/reachable-time.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import { ExecutionCounter } from '../metrics/sandbox.metrics.js';
import { ExecutionEnds } from './execution-ends.js';
import { OrgSlots } from './org-slots.js';
import { overdueExecutionsSchedule } from './executions.job.js';

/** After an outage of the database, workers have this long to write which executions ended meanwhile. */
const GRACE_MS = 5_000;

/**
 * Gives up overdue executions. It runs in every process, so that executions are settled even when no worker is alive.
 */
@Injectable()
@Handles(overdueExecutionsSchedule)
export class ExecutionSweeper implements ScheduleHandler, OnApplicationBootstrap {
  private readonly reachable: ReachableTime;

  constructor(
    executions: ExecutionsStore,
    private readonly ends: ExecutionEnds,
    private readonly slots: OrgSlots,
    private readonly counter: ExecutionCounter,
    clock: Clock,
    private readonly log: Log,
  ) {
    this.reachable = new ReachableTime({ clock, ping: () => executions.ping(), graceMs: GRACE_MS });
  }

  onApplicationBootstrap(): void {
    this.reachable.begin();
  }

  /**
   * Executions that should have ended by now without a report become `lost`, or `cancelled` if they never started.
   */
  async giveUpOverdue(): Promise<void> {
    for (const { id, orgId, language, status } of await this.ends.giveUpOverdue()) {
      this.log.warn({ executionId: id, orgId, status }, 'Gave up a sandbox execution: no worker reported its end.');
      this.counter.ended(language, status);
      await this.slots.free(orgId, id);
    }
  }

  run(): Promise<void> {
    return this.reachable.run(() => this.giveUpOverdue());
  }
}
