import assert from 'node:assert';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Clock } from '../../platform/time/clock.js';
import { monthOf } from './month.js';
import { UsageMonthsStore } from './persistence/usage-months.store.js';

/** Closes months, so that the invoices for them stay true. */
@Injectable()
export class UsagePeriodsService {
  constructor(
    private readonly database: Database,
    private readonly months: UsageMonthsStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Closes a past month of these organizations. From the commit on no event changes its usage, and events that arrive
   * later become adjustments of the month that is then current. It waits for transactions that record usage of the
   * month and blocks new ones, so the transaction that it joins should be short.
   *
   * @param month any time in the month.
   * @returns the organizations for which the month was open before.
   */
  async close(orgIds: readonly string[], month: Date): Promise<readonly string[]> {
    const now = this.clock.now();
    const { name, end } = monthOf(month);
    assert(end <= now, `${name} is not over.`);
    return this.database.transaction(() => this.months.close(orgIds, name, now));
  }
}
