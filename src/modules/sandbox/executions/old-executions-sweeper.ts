import { Injectable } from '@nestjs/common';
import { inBatches } from '../../../platform/database/in-batches.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import { oldExecutionsSchedule } from './executions.job.js';

const KEPT_MS = 30 * 86_400_000;
/** Each may hold 2 MiB, and one worker deletes no more than this in five minutes. */
const BATCHES = { size: 500, most: 20 };

/** Deletes executions that are kept no longer. */
@Injectable()
@Handles(oldExecutionsSchedule)
export class OldExecutionsSweeper implements ScheduleHandler {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly clock: Clock,
  ) {}

  /** Deletes executions that are older than 30 days; of very many, only some at a time. */
  async run(): Promise<void> {
    const createdBefore = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.executions.deleteOlderThan(createdBefore, limit), BATCHES);
  }
}
