import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PartitionedTables } from '../../../platform/partitions/partitioned-tables.js';
import { firstIdFrom } from '../recording/event-id.js';

/**
 * Partitions of coming months are created ahead of time, so that the first event of a month does not wait for one. Old
 * ones stay: an event that is reported again must meet the first one, however long ago that was.
 */
@Injectable()
export class UsageEventPartitions implements OnApplicationBootstrap {
  constructor(private readonly tables: PartitionedTables) {}

  onApplicationBootstrap(): void {
    this.tables.add({ name: 'usage_events', key: 'id', firstKeyFrom: firstIdFrom });
  }
}
