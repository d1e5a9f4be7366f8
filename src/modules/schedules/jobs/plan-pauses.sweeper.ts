import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { PlanPauses } from '../domain/plan-pauses.js';
import { planPausesSchedule } from './schedules.job.js';

@Injectable()
@Handles(planPausesSchedule)
export class PlanPausesSweeper implements ScheduleHandler {
  constructor(private readonly pauses: PlanPauses) {}

  run(stopping: AbortSignal): Promise<void> {
    return this.pauses.apply(stopping);
  }
}
