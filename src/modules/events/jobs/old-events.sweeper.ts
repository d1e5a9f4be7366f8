import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { EventsStore } from '../persistence/events.store.js';
import { oldEventsSchedule } from './events.job.js';

const KEPT_MS = 86_400_000;
const BATCH = 1_000;

@Injectable()
@Handles(oldEventsSchedule)
export class OldEventsSweeper implements ScheduleHandler {
  constructor(
    private readonly events: EventsStore,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.events.deleteOlderThan(before, limit), { size: BATCH, stopping });
  }
}
