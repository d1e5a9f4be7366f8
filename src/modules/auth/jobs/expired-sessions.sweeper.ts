import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { deleteExpired } from '../../../platform/database/delete-expired.js';
import { Clock } from '../../../platform/time/clock.js';
import { SessionsStore } from '../persistence/sessions.store.js';
import { SignInFlowsStore } from '../persistence/sign-in-flows.store.js';
import { expiredSessionsSchedule } from './auth.job.js';

@Injectable()
@Handles(expiredSessionsSchedule)
export class ExpiredSessionsSweeper implements ScheduleHandler {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly flows: SignInFlowsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await deleteExpired(this.sessions, this.clock.now());
    await deleteExpired(this.flows, this.clock.now());
  }
}
