import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { openBlobStorage } from '../../../platform/blobs/open-blob-storage.js';
import { Config } from '../../../platform/config/config.js';
import { monthFrom } from '../../../platform/partitions/calendar-month.js';
import type { OldMonths } from '../../../platform/partitions/partitioned-table.js';
import { PartitionedTables } from '../../../platform/partitions/partitioned-tables.js';
import { Clock } from '../../../platform/time/clock.js';
import { BilledMonths } from '../billed-months.js';
import { MeteringSettings } from '../metering.settings.js';
import { monthOf } from '../month.js';
import { UsagePartitionsStore } from '../persistence/usage-partitions.store.js';
import { firstIdFrom, timeOfId } from '../recording/event-id.js';

/**
 * Partitions of coming months are created ahead of time, so that the first event of a month does not wait for one. Old
 * ones stay, because an event that is reported again must meet the first one, or are archived if the operator wants it.
 * Then an event of such a month is refused.
 */
@Injectable()
export class UsageEventPartitions implements OnApplicationBootstrap {
  constructor(
    private readonly tables: PartitionedTables,
    private readonly settings: MeteringSettings,
    private readonly store: UsagePartitionsStore,
    private readonly billed: BilledMonths,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const old = this.oldMonths();
    this.tables.add({
      name: 'usage_events',
      key: 'id',
      firstKeyFrom: firstIdFrom,
      ...(old === undefined ? {} : { old }),
    });
  }

  private oldMonths(): OldMonths | undefined {
    const { eventsMonths, archivePlace } = this.settings;
    if (eventsMonths === undefined) return undefined;
    return {
      when: 'archived',
      keptMonths: eventsMonths,
      openArchive: () => openBlobStorage(archivePlace, this.config.blobCredentials, this.clock),
      isDone: (end) => this.areDone(timeOfId(end)),
    };
  }

  /**
   * Returns whether nothing reads the events of before `end` any more. A month that is not closed is read when it is
   * closed, as sums are compared with events then, and last month and later ones are compared every hour.
   */
  private async areDone(end: Date): Promise<boolean> {
    const compared = monthOf(monthFrom(this.clock.now(), -1).start);
    const open = monthOf(await this.billed.firstOpen());
    return this.store.areBilledBefore(open.start < compared.start ? open : compared, end);
  }
}
