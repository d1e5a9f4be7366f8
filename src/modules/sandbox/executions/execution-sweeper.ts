import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import { ExecutionCounter } from '../metrics/sandbox.metrics.js';
import { ExecutionEnds } from './execution-ends.js';
import { OrgPlaces } from './org-places.js';
import { overdueExecutionsSchedule } from './executions.job.js';

/** After an outage of the database: until then workers write what ended meanwhile. */
const GRACE_MS = 5_000;

/**
 * In every process, so that what a worker ran is settled although no worker lives: gives up executions that are
 * overdue.
 */
@Injectable()
@Handles(overdueExecutionsSchedule)
export class ExecutionSweeper implements ScheduleHandler, OnApplicationBootstrap {
  private reachableSinceMs: number | undefined;

  constructor(
    private readonly executions: ExecutionsStore,
    private readonly ends: ExecutionEnds,
    private readonly places: OrgPlaces,
    private readonly counter: ExecutionCounter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.reachableSinceMs = this.clock.now().getTime();
  }

  /**
   * Executions that should have ended by now and of which nothing was heard become `lost`, or `cancelled` if they never
   * began.
   */
  async giveUpOverdue(): Promise<void> {
    for (const { id, orgId, language, status } of await this.ends.giveUpOverdue()) {
      this.log.warn(
        { executionId: id, orgId, status },
        'A sandbox execution was given up: no worker told how it ended.',
      );
      this.counter.ended(language, status);
      await this.places.free(orgId, id);
    }
  }

  async run(): Promise<void> {
    try {
      if (this.reachableSinceMs === undefined) {
        await this.executions.ping();
        this.reachableSinceMs = this.clock.now().getTime();
      }
      if (this.clock.now().getTime() - this.reachableSinceMs >= GRACE_MS) await this.giveUpOverdue();
    } catch (error) {
      this.reachableSinceMs = undefined;
      throw error;
    }
  }
}
