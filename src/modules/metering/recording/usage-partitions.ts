import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Month } from '../month.js';
import { UsagePartitionsStore } from '../persistence/usage-partitions.store.js';

/** Sees to it that the table of events has a part for each month that events are of. */
@Injectable()
export class UsagePartitions {
  private readonly there = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly store: UsagePartitionsStore,
  ) {}

  async ensure(months: Iterable<Month>): Promise<void> {
    for (const month of months) {
      if (this.there.has(month.name)) continue;
      await this.database.transaction(async () => {
        await this.store.make(month);
        await this.database.afterCommit(() => {
          this.there.add(month.name);
          return Promise.resolve();
        });
      });
    }
  }
}
