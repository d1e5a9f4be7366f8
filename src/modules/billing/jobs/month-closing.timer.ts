import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Log } from '../../../platform/logging/log.js';
import { MonthCloseRun } from '../invoices/month-close-run.js';
import { monthClosingSchedule } from './billing.job.js';

/** Closes months that are over and issues their invoices. */
@Injectable()
@Handles(monthClosingSchedule)
export class MonthClosingTimer implements ScheduleHandler {
  constructor(
    private readonly closings: MonthCloseRun,
    private readonly log: Log,
  ) {}

  /** Safe to run in several processes at once: each step is done once. */
  async run(stopping: AbortSignal = new AbortController().signal): Promise<void> {
    const { organizations, failed } = await this.closings.closeAllDue(stopping);
    if (organizations > 0) this.log.info({ organizations, failed }, 'Months were closed.');
  }
}
