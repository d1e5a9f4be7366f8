import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { DuePlanChanges } from '../subscriptions/due-plan-changes.js';
import { plannedChangesSchedule } from './billing.job.js';

/** Lets planned changes of plans take effect. The bill goes by the time they were planned for, not by when it looks. */
@Injectable()
@Handles(plannedChangesSchedule)
export class PlannedChangesTimer implements ScheduleHandler {
  constructor(private readonly changes: DuePlanChanges) {}

  run(): Promise<void> {
    return this.changes.applyAll();
  }
}
