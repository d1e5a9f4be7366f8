import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Features } from '../../features/features.js';
import { NextTimes } from '../firing/next-times.js';
import { ScheduleFiring } from '../firing/schedule-firing.js';
import { dueSchedulesSchedule } from './schedules.job.js';

@Injectable()
@Handles(dueSchedulesSchedule)
export class DueSchedulesSweeper implements ScheduleHandler {
  constructor(
    private readonly firing: ScheduleFiring,
    private readonly nextTimes: NextTimes,
    private readonly features: Features,
  ) {}

  /** While the operator has switched schedules off, times pass, and are made up for as after an outage. */
  async run(stopping: AbortSignal): Promise<void> {
    if (!this.features.isEnabled('schedules')) return;
    await this.firing.fireDue(stopping);
    await this.nextTimes.prepare(stopping);
  }
}
