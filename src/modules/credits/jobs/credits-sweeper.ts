import { Injectable } from '@nestjs/common';
import { inBatches } from '../../../platform/database/in-batches.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { GrantExpiry } from '../grants/grant-expiry.js';
import { WorkBatchService } from '../paid/work-batch.service.js';
import { HoldsStore } from '../persistence/holds.store.js';
import { UnheldUsageService } from '../unheld-usage.service.js';
import { creditsSchedule } from './credits.job.js';

/** Limits each kind of work in one run. */
const BATCHES = { size: 200, most: 20 };

/** Charges usage that had no hold, releases holds whose work was lost, and removes credits that have expired. */
@Injectable()
@Handles(creditsSchedule)
export class CreditsSweeper implements ScheduleHandler {
  constructor(
    private readonly batches: WorkBatchService,
    private readonly unheld: UnheldUsageService,
    private readonly holds: HoldsStore,
    private readonly grants: GrantExpiry,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Safe to run concurrently: work that another process has finished is skipped. */
  async run(): Promise<void> {
    await this.unheld.payAll();
    await this.expireHolds();
    await this.grants.expireAll(BATCHES);
  }

  private async expireHolds(): Promise<void> {
    await inBatches(async (limit) => {
      const overdue = await this.holds.overdue(this.clock.now(), limit);
      if (overdue.length === 0) return 0;
      this.log.warn({ holds: overdue.length }, 'Released expired holds: no completion was reported.');
      await this.batches.perform(overdue.map(({ orgId, key }) => ({ kind: 'expire', orgId, key })));
      return overdue.length;
    }, BATCHES);
  }
}
