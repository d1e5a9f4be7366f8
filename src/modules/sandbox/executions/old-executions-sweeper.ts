import { Injectable } from '@nestjs/common';
import { inBatches } from '../../../platform/database/in-batches.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import { oldExecutionsSchedule } from './executions.job.js';

const KEPT_MS = 30 * 86_400_000;
/** An execution may hold 2 MiB, so one run of the schedule deletes a bounded number of them. */
const BATCHES = { size: 500, most: 20 };

/** Deletes executions whose retention of 30 days has passed. */
@Injectable()
@Handles(oldExecutionsSchedule)
export class OldExecutionsSweeper implements ScheduleHandler {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const createdBefore = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.executions.deleteOlderThan(createdBefore, limit), BATCHES);
  }
}
