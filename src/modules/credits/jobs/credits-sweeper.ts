import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { LEDGER_ENTRY_ID } from '../credits.ids.js';
import { WorkBatchService } from '../paid/work-batch.service.js';
import { GrantsStore } from '../persistence/grants.store.js';
import { HoldsStore } from '../persistence/holds.store.js';
import { PursesService } from '../purse/purses.service.js';
import { UnheldUsageService } from '../unheld-usage.service.js';
import { creditsSchedule } from './credits.job.js';

/** Of each kind in one run. */
const BATCHES = { size: 200, most: 20 };

/**
 * Pays for what was used without a hold, gives back what is held for work that was lost, and takes out credits that
 * have expired.
 */
@Injectable()
@Handles(creditsSchedule)
export class CreditsSweeper implements ScheduleHandler {
  constructor(
    private readonly batches: WorkBatchService,
    private readonly purses: PursesService,
    private readonly unheld: UnheldUsageService,
    private readonly holds: HoldsStore,
    private readonly grants: GrantsStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** What other sweepers do at the same time is found done. */
  async run(): Promise<void> {
    await this.unheld.payAll();
    await this.expireHolds();
    await this.expireGrants();
  }

  private async expireHolds(): Promise<void> {
    await inBatches(async (limit) => {
      const overdue = await this.holds.overdue(this.clock.now(), limit);
      if (overdue.length === 0) return 0;
      this.log.warn(
        { holds: overdue.length },
        'Work that money was held for never told of its end; the money is given back.',
      );
      await this.batches.perform(overdue.map(({ orgId, key }) => ({ kind: 'expire', orgId, key })));
      return overdue.length;
    }, BATCHES);
  }

  private async expireGrants(): Promise<void> {
    await inBatches(async (limit) => {
      const orgIds = await this.grants.expired(this.clock.now(), limit);
      if (orgIds.length === 0) return 0;
      await this.purses.change({ orgIds }, (session) => {
        for (const orgId of orgIds) session.expire(orgId, this.clock.now(), () => this.ids.next(LEDGER_ENTRY_ID));
      });
      return orgIds.length;
    }, BATCHES);
  }
}
