import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { QuotaEnforcement } from '../quotas/quota-enforcement.js';
import { databaseQuotasSchedule } from './databases.job.js';

@Injectable()
@Handles(databaseQuotasSchedule)
export class DatabaseQuotasSweeper implements ScheduleHandler {
  constructor(private readonly quotas: QuotaEnforcement) {}

  run(stopping: AbortSignal): Promise<void> {
    return this.quotas.enforce(stopping);
  }
}
