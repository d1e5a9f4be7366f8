import assert from 'node:assert';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Clock } from '../../platform/time/clock.js';
import { monthOf } from './month.js';
import { UsageMonthsStore } from './persistence/usage-months.store.js';

/** Closes months, so that a bill that is made of them stays true. */
@Injectable()
export class UsagePeriodsService {
  constructor(
    private readonly database: Database,
    private readonly months: UsageMonthsStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Closes a month of organizations that is over: from the commit on no event changes what their usage comes to, and
   * those that become known later are adjustments of the month that is then present. It waits for those who record
   * usage of it just now, and makes those wait who begin, so that a transaction that it joins should be short.
   *
   * @param month any time in it.
   * @returns those for which it was open before.
   */
  async close(orgIds: readonly string[], month: Date): Promise<readonly string[]> {
    const now = this.clock.now();
    const { name, end } = monthOf(month);
    assert(end <= now, `${name} is not over.`);
    return this.database.transaction(() => this.months.close(orgIds, name, now));
  }
}
