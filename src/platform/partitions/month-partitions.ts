import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../background/define-schedule.js';
import { Handles } from '../background/handles.js';
import { Clock } from '../time/clock.js';
import { type CalendarMonth, monthFrom } from './calendar-month.js';
import { areTaken } from './partition-bounds.js';
import { PartitionedTables } from './partitioned-tables.js';
import type { PartitionedTable } from './partitioned-table.js';
import { partitionsSchedule } from './partitions.job.js';
import { PartitionsMetrics } from './partitions.metrics.js';
import { PartitionsStore } from './partitions.store.js';
import { Postponements } from './postponements.js';

const AHEAD = 2;
/** More rows than this are not counted. */
const COUNTED = 1_000;

/** Creates the partitions of coming months ahead of time. */
@Injectable()
@Handles(partitionsSchedule)
export class MonthPartitions implements ScheduleHandler {
  constructor(
    private readonly tables: PartitionedTables,
    private readonly store: PartitionsStore,
    private readonly postponements: Postponements,
    private readonly metrics: PartitionsMetrics,
    private readonly clock: Clock,
  ) {}

  /** @throws the first error, after all tables were looked at. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const table of this.tables.all) {
      try {
        await this.postponements.allow(`create ${table.name}`, () => this.createMissing(table));
      } catch (error) {
        failures.push(error);
      }
      try {
        await this.report(table);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Later months first: they have no rows yet, and so cannot fail for want of time. */
  private async createMissing(table: PartitionedTable): Promise<void> {
    const { rest } = await this.store.list(table);
    for (const month of this.months().reverse()) {
      if (!areTaken(await this.store.list(table), table.firstKeyFrom(month.start)))
        await this.store.create(table, month, rest);
    }
  }

  private async report(table: PartitionedTable): Promise<void> {
    const partitions = await this.store.list(table);
    const missing = this.months().findIndex(({ start }) => !areTaken(partitions, table.firstKeyFrom(start)));
    this.metrics.found(table.name, {
      monthsAhead: (missing === -1 ? AHEAD + 1 : missing) - 1,
      restRows: partitions.rest === undefined ? 0 : await this.store.count(partitions.rest, COUNTED),
    });
  }

  /** This month and those that follow. */
  private months(): CalendarMonth[] {
    const now = this.clock.now();
    return Array.from({ length: AHEAD + 1 }, (_, later) => monthFrom(now, later));
  }
}
