import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { DATABASE_BACKUP_ID } from '../databases.ids.js';
import { BackupMetrics } from '../metrics/backup.metrics.js';
import { DatabaseBackupsStore } from '../persistence/database-backups.store.js';
import { DueBackupsStore } from '../persistence/due-backups.store.js';

const DAY_MS = 86_400_000;
const AT_ONCE = 20;

/** Decides which backups a host makes next. */
@Injectable()
export class BackupPlanner {
  constructor(
    private readonly due: DueBackupsStore,
    private readonly backups: DatabaseBackupsStore,
    private readonly metrics: BackupMetrics,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Adds those that are due, and returns all that wait but for those that are left out. */
  async next(hostId: string, without: readonly string[]): Promise<{ id: string; attempt: number }[]> {
    const createdAt = this.clock.now();
    for (const clusterId of await this.due.due(hostId, new Date(createdAt.getTime() - DAY_MS), AT_ONCE))
      await this.backups.insert({ id: this.ids.next(DATABASE_BACKUP_ID), clusterId, kind: 'scheduled', createdAt });
    this.metrics.backupAge(await this.due.oldestSeconds(hostId, createdAt));
    return this.due.pending(hostId, without, AT_ONCE);
  }

  async giveUp(id: string): Promise<void> {
    await this.backups.fail(id, this.clock.now());
  }
}
