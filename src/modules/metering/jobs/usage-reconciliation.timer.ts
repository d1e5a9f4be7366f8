import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { UsageReconciler } from '../reconciliation/usage-reconciler.js';
import { usageReconciliationSchedule } from './metering.job.js';

@Injectable()
@Handles(usageReconciliationSchedule)
export class UsageReconciliationTimer implements ScheduleHandler {
  constructor(private readonly reconciler: UsageReconciler) {}

  run(): Promise<unknown> {
    return this.reconciler.reconcile();
  }
}
