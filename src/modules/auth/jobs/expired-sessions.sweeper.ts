import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { SessionsStore } from '../persistence/sessions.store.js';
import { expiredSessionsSchedule } from './auth.job.js';

const KEPT_MS = 30 * 86_400_000;
/** The limit of one run. The rest is deleted by the next run. */
const BATCHES = { size: 1_000, most: 20 };

@Injectable()
@Handles(expiredSessionsSchedule)
export class ExpiredSessionsSweeper implements ScheduleHandler {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.sessions.deleteExpired(before, limit), BATCHES);
  }
}
