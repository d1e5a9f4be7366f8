import { Injectable } from '@nestjs/common';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { LEDGER_ENTRY_ID } from '../credits.ids.js';
import { GrantsStore } from '../persistence/grants.store.js';
import { PursesService } from '../purse/purses.service.js';

/** Removes credits that have expired and that no running work holds. */
@Injectable()
export class GrantExpiry {
  constructor(
    private readonly grants: GrantsStore,
    private readonly purses: PursesService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  async expireAll(batches: { readonly size: number; readonly most: number }): Promise<void> {
    await inBatches(async (limit) => {
      const orgIds = await this.grants.expired(this.clock.now(), limit);
      if (orgIds.length === 0) return 0;
      await this.purses.change({ orgIds }, (session) => {
        for (const orgId of orgIds) session.expire(orgId, this.clock.now(), () => this.ids.next(LEDGER_ENTRY_ID));
      });
      return orgIds.length;
    }, batches);
  }
}
