import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { firstIdOf } from '../../../platform/partitions/partitioned-table.js';
import { PartitionedTables } from '../../../platform/partitions/partitioned-tables.js';
import { DEPLOY_ID } from '../deploys.ids.js';

/** Logs are deleted 90 days after their deploy ended, which is at most a few days younger than its log. */
const KEPT_MONTHS = 4;

/** The log of a deploy is in the partition of the month that the deploy was created in, all of it. */
@Injectable()
export class DeployLogPartitions implements OnApplicationBootstrap {
  constructor(private readonly tables: PartitionedTables) {}

  onApplicationBootstrap(): void {
    this.tables.add({
      name: 'deploy_log_lines',
      key: 'deploy_id',
      firstKeyFrom: firstIdOf(DEPLOY_ID),
      old: { when: 'empty', keptMonths: KEPT_MONTHS },
    });
  }
}
