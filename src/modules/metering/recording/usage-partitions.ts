import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Month } from '../month.js';
import { UsagePartitionsStore } from '../persistence/usage-partitions.store.js';

/** Makes sure that the table of events has a partition for each month of the events. */
@Injectable()
export class UsagePartitions {
  private readonly existing = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly store: UsagePartitionsStore,
  ) {}

  async ensure(months: Iterable<Month>): Promise<void> {
    for (const month of months) {
      if (this.existing.has(month.name)) continue;
      await this.database.transaction(async () => {
        await this.store.create(month);
        await this.database.afterCommit(() => {
          this.existing.add(month.name);
          return Promise.resolve();
        });
      });
    }
  }
}
