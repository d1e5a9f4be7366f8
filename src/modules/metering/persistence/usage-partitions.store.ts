import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { UsageMonthArchived } from '../domain/metering.errors.js';
import type { Month } from '../month.js';
import { firstIdFrom } from '../recording/event-id.js';

/** Finds months whose partition went to the archive, and was not put back. Parameter: names of partitions. */
const ARCHIVED = `
  SELECT name FROM unnest($1::text[]) AS given (name)
  WHERE to_regclass(name) IS NULL
    AND EXISTS (SELECT FROM partition_archives WHERE table_name = 'usage_events' AND partition_name = name)`;

/** Looking through the months of all organizations may take longer than other statements do. */
const STATEMENT_TIMEOUT_MS = 300_000;

/** The table of events has a partition for each month, which is kept forever or archived. */
@Injectable()
export class UsagePartitionsStore {
  constructor(private readonly database: Database) {}

  /**
   * Creates the partition of a month unless it exists, in the running transaction. No other transaction waits for that.
   * @throws {UsageMonthArchived} for a month that was archived: an event of it might be there already.
   */
  async create(month: Month): Promise<void> {
    const { manager } = this.database;
    const name = nameOf(month);
    await manager.query("SELECT pg_advisory_xact_lock(hashtext('usage_events partitions'))");
    const [found] = await manager.query<{ there: boolean }[]>('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
    if (found!.there) return;
    if ((await this.archived([month])).length > 0) throw new UsageMonthArchived(month.name);
    // The table is created first and then attached, because `CREATE TABLE … PARTITION OF` would lock the whole table.
    await manager.query(`CREATE TABLE ${name} (LIKE usage_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
    await manager.query(
      `ALTER TABLE usage_events ATTACH PARTITION ${name}
       FOR VALUES FROM ('${firstIdFrom(month.start)}') TO ('${firstIdFrom(month.end)}')`,
    );
  }

  /** Returns those of the months that were archived. */
  async archived(months: readonly Month[]): Promise<Month[]> {
    const rows = await this.database.manager.query<{ name: string }[]>(ARCHIVED, [months.map(nameOf)]);
    const names = new Set(rows.map(({ name }) => name));
    return months.filter((month) => names.has(nameOf(month)));
  }

  /** Returns whether what was used before `end` is all on the bills of months before `firstRead`. */
  async areBilledBefore(firstRead: Month, end: Date): Promise<boolean> {
    return this.database.transaction(async () => {
      const { manager } = this.database;
      await manager.query("SELECT set_config('statement_timeout', $1, true)", [String(STATEMENT_TIMEOUT_MS)]);
      const [row] = await manager.query<{ billed: boolean }[]>(
        `SELECT NOT EXISTS (
           SELECT FROM usage_months
           WHERE used_in < ($1::timestamptz AT TIME ZONE 'UTC')::date AND events > 0 AND month >= $2::date
         ) AS billed`,
        [end, firstRead.name],
      );
      return row!.billed;
    });
  }
}

const nameOf = ({ name }: Month): string => `usage_events_${name.slice(0, 7).replace('-', '_')}`;
