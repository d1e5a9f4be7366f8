import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { ApprovalExpiry } from '../approvals/approval-expiry.js';
import { expiredApprovalsSchedule } from './runs.job.js';

@Injectable()
@Handles(expiredApprovalsSchedule)
export class ExpiredApprovalsSweeper implements ScheduleHandler {
  constructor(private readonly expiry: ApprovalExpiry) {}

  async run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await this.expiry.expireSome()) > 0);
  }
}
