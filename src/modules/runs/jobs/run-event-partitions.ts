import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { firstIdOf } from '../../../platform/partitions/partitioned-table.js';
import { PartitionedTables } from '../../../platform/partitions/partitioned-tables.js';
import { RUN_ID } from '../runs.ids.js';

/** Events go with their run, 90 days after its end. */
const KEPT_MONTHS = 4;

/** The events of a run are in the partition of the month that the run was created in, all of them. */
@Injectable()
export class RunEventPartitions implements OnApplicationBootstrap {
  constructor(private readonly tables: PartitionedTables) {}

  onApplicationBootstrap(): void {
    this.tables.add({
      name: 'run_events',
      key: 'run_id',
      firstKeyFrom: firstIdOf(RUN_ID),
      old: { when: 'empty', keptMonths: KEPT_MONTHS },
    });
  }
}
