import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { BrowserSignInsStore } from '../persistence/browser-sign-ins.store.js';
import { ExternalSignInsStore } from '../persistence/external-sign-ins.store.js';
import { externalSignInsSchedule } from './identities.job.js';

/** The limit of one run. The rest is deleted by the next run. */
const BATCHES = { size: 1_000, most: 20 };

/** What a provider said of people who did not complete a sign-in is not kept, and nor are sign-ins of programs. */
@Injectable()
@Handles(externalSignInsSchedule)
export class ExternalSignInsSweeper implements ScheduleHandler {
  constructor(
    private readonly signIns: ExternalSignInsStore,
    private readonly programs: BrowserSignInsStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    await inBatches((limit) => this.signIns.deleteExpired(now, limit), BATCHES);
    await inBatches((limit) => this.programs.deleteExpired(now, limit), BATCHES);
  }
}
