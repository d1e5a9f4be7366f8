import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { openBlobStorage } from '../../../platform/blobs/open-blob-storage.js';
import { Config } from '../../../platform/config/config.js';
import { firstIdOf, type OldMonths } from '../../../platform/partitions/partitioned-table.js';
import { PartitionedTables } from '../../../platform/partitions/partitioned-tables.js';
import { Clock } from '../../../platform/time/clock.js';
import { AUDIT_ENTRY_ID } from '../audit.ids.js';
import { AuditSettings } from '../audit.settings.js';

/** The audit log has a partition for each month. Old ones are archived if the operator wants it, and never lost. */
@Injectable()
export class AuditLogPartitions implements OnApplicationBootstrap {
  constructor(
    private readonly tables: PartitionedTables,
    private readonly settings: AuditSettings,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const old = this.oldMonths();
    this.tables.add({
      name: 'audit_log',
      key: 'id',
      firstKeyFrom: firstIdOf(AUDIT_ENTRY_ID),
      ...(old === undefined ? {} : { old }),
    });
  }

  private oldMonths(): OldMonths | undefined {
    const { months, archivePlace } = this.settings;
    if (months === undefined) return undefined;
    return {
      when: 'archived',
      keptMonths: months,
      openArchive: () => openBlobStorage(archivePlace, this.config.blobCredentials, this.clock),
    };
  }
}
