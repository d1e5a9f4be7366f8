import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { WorkBatchService } from '../paid/work-batch.service.js';
import { GrantsStore } from '../persistence/grants.store.js';
import { HoldsStore } from '../persistence/holds.store.js';
import { PursesService } from '../purse/purses.service.js';
import { UnheldUsageService } from '../unheld-usage.service.js';
import { creditsSchedule } from './credits.job.js';

const BATCH = 200;
/** In one sweep: the rest has time until the next. */
const BATCHES = 20;

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
    for (let batch = 0; batch < BATCHES; batch++) {
      const overdue = await this.holds.overdue(this.clock.now(), BATCH);
      if (overdue.length === 0) return;
      this.log.warn(
        { holds: overdue.length },
        'Work that money was held for never told of its end; the money is given back.',
      );
      await this.batches.perform(overdue.map(({ orgId, key }) => ({ kind: 'expire', orgId, key })));
    }
  }

  private async expireGrants(): Promise<void> {
    for (let batch = 0; batch < BATCHES; batch++) {
      const orgIds = await this.grants.expired(this.clock.now(), BATCH);
      if (orgIds.length === 0) return;
      await this.purses.change({ orgIds }, (session) => {
        for (const orgId of orgIds) session.expire(orgId, this.clock.now(), () => this.ids.next('ltx'));
      });
    }
  }
}
