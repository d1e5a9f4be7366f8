import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { monthFrom } from '../../../platform/partitions/calendar-month.js';
import { Clock } from '../../../platform/time/clock.js';
import { MIN_EVENTS_MONTHS } from '../metering.settings.js';
import type { Month } from '../month.js';
import { UsagePartitionsStore } from '../persistence/usage-partitions.store.js';

/** Makes sure that the table of events has a partition for each month of the events. */
@Injectable()
export class UsagePartitions {
  private readonly existing = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly store: UsagePartitionsStore,
    private readonly clock: Clock,
  ) {}

  /** @throws {UsageMonthArchived} for a month that was archived. */
  async ensure(months: Iterable<Month>): Promise<void> {
    for (const month of months) {
      // An old month may have gone to the archive since.
      if (this.existing.has(month.name) && !this.isOld(month)) continue;
      await this.database.transaction(async () => {
        await this.store.create(month);
        await this.database.afterCommit(() => {
          this.existing.add(month.name);
          return Promise.resolve();
        });
      });
    }
  }

  /** Returns the names of those months that were archived, so that nobody knows whether an event of them is new. */
  async archivedOf(months: Iterable<Month>): Promise<ReadonlySet<string>> {
    const old = [...months].filter((month) => this.isOld(month));
    return new Set(old.length === 0 ? [] : (await this.store.archived(old)).map(({ name }) => name));
  }

  private isOld({ end }: Month): boolean {
    return end <= monthFrom(this.clock.now(), -MIN_EVENTS_MONTHS).start;
  }
}
