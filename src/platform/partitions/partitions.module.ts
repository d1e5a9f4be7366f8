import { Module } from '@nestjs/common';
import { MonthPartitions } from './month-partitions.js';
import { OldPartitions } from './old-partitions.js';
import { PartitionArchiver } from './partition-archiver.js';
import { PartitionArchivesStore } from './partition-archives.store.js';
import { PartitionedTables } from './partitioned-tables.js';
import { PARTITIONS_METRICS } from './partitions.metrics.js';
import { PartitionsStore } from './partitions.store.js';
import { Postponements } from './postponements.js';

/** The module of the worker: modules with tables that have a partition for each month import it for their jobs. */
@Module({
  providers: [
    MonthPartitions,
    OldPartitions,
    PartitionArchiver,
    PartitionArchivesStore,
    PartitionedTables,
    PartitionsStore,
    Postponements,
    ...PARTITIONS_METRICS,
  ],
  exports: [PartitionedTables],
})
export class PartitionsModule {}
