import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { deleteExpired } from '../../../platform/database/delete-expired.js';
import { Clock } from '../../../platform/time/clock.js';
import { EmailTokensStore } from '../persistence/email-tokens.store.js';
import { expiredEmailTokensSchedule } from './people.job.js';

@Injectable()
@Handles(expiredEmailTokensSchedule)
export class ExpiredEmailTokensSweeper implements ScheduleHandler {
  constructor(
    private readonly tokens: EmailTokensStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await deleteExpired(this.tokens, this.clock.now());
  }
}
