import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { ScheduleFiresStore } from '../persistence/schedule-fires.store.js';
import { oldFiresSchedule } from './schedules.job.js';

const KEPT_MS = 90 * 86_400_000;
const BATCH = 1_000;

@Injectable()
@Handles(oldFiresSchedule)
export class OldFiresSweeper implements ScheduleHandler {
  constructor(
    private readonly fires: ScheduleFiresStore,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.fires.deleteOlderThan(before, limit), { size: BATCH, stopping });
  }
}
