import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Month } from '../month.js';
import { firstIdFrom } from '../recording/event-id.js';

/** The table of events has a partition for each month, which is kept forever. */
@Injectable()
export class UsagePartitionsStore {
  constructor(private readonly database: Database) {}

  /**
   * Creates the partition of a month unless it exists, in the running transaction. No other transaction waits for that.
   */
  async create(month: Month): Promise<void> {
    const { manager } = this.database;
    const name = `usage_events_${month.name.slice(0, 7).replace('-', '_')}`;
    await manager.query("SELECT pg_advisory_xact_lock(hashtext('usage_events partitions'))");
    const [found] = await manager.query<{ there: boolean }[]>('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
    if (found!.there) return;
    // The table is created first and then attached, because `CREATE TABLE … PARTITION OF` would lock the whole table.
    await manager.query(`CREATE TABLE ${name} (LIKE usage_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
    await manager.query(
      `ALTER TABLE usage_events ATTACH PARTITION ${name}
       FOR VALUES FROM ('${firstIdFrom(month.start)}') TO ('${firstIdFrom(month.end)}')`,
    );
  }
}
