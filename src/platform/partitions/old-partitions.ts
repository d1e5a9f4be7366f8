import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../background/define-schedule.js';
import { Handles } from '../background/handles.js';
import { Database } from '../database/database.js';
import { Log } from '../logging/log.js';
import { Clock } from '../time/clock.js';
import { monthFrom } from './calendar-month.js';
import { PartitionArchiver } from './partition-archiver.js';
import { PartitionedTables } from './partitioned-tables.js';
import type { OldMonths, PartitionedTable } from './partitioned-table.js';
import { oldPartitionsSchedule } from './partitions.job.js';
import { PartitionsStore } from './partitions.store.js';
import { Postponements } from './postponements.js';

/** Removes partitions of months that are over for long enough: empty ones, and others once they are archived. */
@Injectable()
@Handles(oldPartitionsSchedule)
export class OldPartitions implements ScheduleHandler {
  constructor(
    private readonly tables: PartitionedTables,
    private readonly store: PartitionsStore,
    private readonly archiver: PartitionArchiver,
    private readonly postponements: Postponements,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** @throws the first error, after all tables were looked at. */
  async run(stopping: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    for (const table of this.tables.all) {
      const { name, old } = table;
      if (old === undefined) continue;
      try {
        await this.postponements.allow(`remove ${name}`, () => this.removeOld(table, old, stopping));
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Oldest first, so that an archive never has a gap. */
  private async removeOld(table: PartitionedTable, old: OldMonths, stopping: AbortSignal): Promise<void> {
    const keptFrom = table.firstKeyFrom(monthFrom(this.clock.now(), -old.keptMonths).start);
    for (const { name, end } of (await this.store.list(table)).ofMonths) {
      if (stopping.aborted || end > keptFrom) return;
      const rows = await this.remove(table, { name, end }, old, stopping);
      if (rows === 'needed') return;
      if (rows !== undefined) this.log.info({ partition: name, rows }, 'The partition of an old month was removed.');
    }
  }

  /** Returns the number of rows that were removed, if the partition was. */
  private async remove(
    table: PartitionedTable,
    { name: partition, end }: { readonly name: string; readonly end: string },
    old: OldMonths,
    stopping: AbortSignal,
  ): Promise<number | 'needed' | undefined> {
    if (old.when === 'archived') {
      const isDone = async (): Promise<boolean> => (await old.isDone?.(end)) !== false;
      if (await isDone())
        return this.archiver.archive(table, partition, { storage: await old.openArchive(), isDone, stopping });
      this.log.info({ partition }, 'The partition of an old month stays, because its rows are still needed.');
      return 'needed';
    }
    const isEmpty = async (): Promise<boolean> => (await this.store.count(partition, 1)) === 0;
    if (!(await isEmpty())) return undefined;
    return (await this.database.transaction(() => this.store.dropIf(partition, isEmpty))) ? 0 : undefined;
  }
}
