import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { DatabaseOperationsStore } from '../persistence/database-operations.store.js';
import { oldOperationsSchedule } from './databases.job.js';

const KEPT_MS = 30 * 86_400_000;
const BATCH = 1_000;

@Injectable()
@Handles(oldOperationsSchedule)
export class OldOperationsSweeper implements ScheduleHandler {
  constructor(
    private readonly operations: DatabaseOperationsStore,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.operations.deleteEnded(before, limit), { size: BATCH, stopping });
  }
}
