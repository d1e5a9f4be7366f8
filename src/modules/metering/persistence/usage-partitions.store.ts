import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Month } from '../month.js';
import { firstIdFrom } from '../recording/event-id.js';

/** The table of events has a part for each month, which is kept for ever. */
@Injectable()
export class UsagePartitionsStore {
  constructor(private readonly database: Database) {}

  /** Makes the part of a month, unless it is there; in the running transaction, which nobody else waits for. */
  async make(month: Month): Promise<void> {
    const { manager } = this.database;
    const name = `usage_events_${month.name.slice(0, 7).replace('-', '_')}`;
    await manager.query("SELECT pg_advisory_xact_lock(hashtext('usage_events partitions'))");
    const [found] = await manager.query<{ there: boolean }[]>('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
    if (found!.there) return;
    // Made apart and then attached, because to make it as a part would keep everybody from the whole table.
    await manager.query(`CREATE TABLE ${name} (LIKE usage_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
    await manager.query(
      `ALTER TABLE usage_events ATTACH PARTITION ${name} FOR VALUES FROM ('${firstIdFrom(month.start)}') TO ('${firstIdFrom(month.end)}')`,
    );
  }
}
