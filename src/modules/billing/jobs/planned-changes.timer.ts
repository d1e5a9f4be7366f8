import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { DuePlanChanges } from '../subscriptions/due-plan-changes.js';
import { plannedChangesSchedule } from './billing.job.js';

/** Applies planned plan changes. Invoices use the planned time, so it does not matter when this runs. */
@Injectable()
@Handles(plannedChangesSchedule)
export class PlannedChangesTimer implements ScheduleHandler {
  constructor(private readonly changes: DuePlanChanges) {}

  run(): Promise<void> {
    return this.changes.applyAll();
  }
}
