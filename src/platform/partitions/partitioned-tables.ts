import { Injectable } from '@nestjs/common';
import type { PartitionedTable } from './partitioned-table.js';

/** The tables with a partition for each month. Modules add theirs when the worker starts. */
@Injectable()
export class PartitionedTables {
  private readonly tables: PartitionedTable[] = [];

  get all(): readonly PartitionedTable[] {
    return this.tables;
  }

  add(table: PartitionedTable): void {
    this.tables.push(table);
  }
}
