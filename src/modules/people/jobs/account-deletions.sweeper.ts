import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { accountDeletionsSchedule } from '../deletion/account-deletion.job.js';
import { AccountErasureService } from '../deletion/account-erasure.service.js';

@Injectable()
@Handles(accountDeletionsSchedule)
export class AccountDeletionsSweeper implements ScheduleHandler {
  constructor(private readonly erasure: AccountErasureService) {}

  run(): Promise<void> {
    return this.erasure.eraseOverdue();
  }
}
