import { Injectable } from '@nestjs/common';
import { Handles } from '../../../platform/background/handles.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Clock } from '../../../platform/time/clock.js';
import { CronRunsStore } from '../persistence/cron-runs.store.js';
import { CronCalls } from './cron-calls.js';
import { requestedCronsSchedule } from './crons.job.js';
import { MAX_RUNNING_PER_ORG } from './cron-ticker.js';

const BATCH = 20;

/** Sends the requests of crons that people run now. A run is taken before its request goes out, so it is sent once. */
@Injectable()
@Handles(requestedCronsSchedule)
export class RequestedCrons implements ScheduleHandler {
  constructor(
    private readonly runs: CronRunsStore,
    private readonly calls: CronCalls,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    if (!this.calls.hasRoom) return;
    const limits = { perOrg: MAX_RUNNING_PER_ORG, limit: BATCH };
    for (const due of await this.runs.takeRequested(this.clock.now(), limits)) this.calls.begin(due);
  }
}
