import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { deleteExpired } from '../../../platform/database/delete-expired.js';
import { Clock } from '../../../platform/time/clock.js';
import { WaitingEmailChangesService } from '../emails/waiting-email-changes.service.js';
import { EmailChangesStore } from '../persistence/email-changes.store.js';
import { emailChangesSchedule } from './people.job.js';

@Injectable()
@Handles(emailChangesSchedule)
export class EmailChangesSweeper implements ScheduleHandler {
  constructor(
    private readonly waiting: WaitingEmailChangesService,
    private readonly changes: EmailChangesStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await this.waiting.advance();
    await deleteExpired(this.changes, this.clock.now());
  }
}
