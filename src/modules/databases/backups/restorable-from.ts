import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { DatabaseBackupsStore } from '../persistence/database-backups.store.js';
import type { StoredBase, StoredRange } from '../persistence/backup-rows.js';
import { WalArchivesStore } from '../persistence/wal-archives.store.js';
import { windowOf } from './restore-window.js';

interface StoredBackups {
  readonly bases: readonly StoredBase[];
  readonly ranges: readonly StoredRange[];
}

/** Records the first moment that a cluster can be restored to, because to work it out takes reading all of its log. */
@Injectable()
export class RestorableFrom {
  constructor(
    private readonly database: Database,
    private readonly backups: DatabaseBackupsStore,
    private readonly archives: WalArchivesStore,
    private readonly clock: Clock,
  ) {}

  /** Finishes a backup. A process that dies leaves no finished backup from which nothing can be restored. */
  finish(base: StoredBase): Promise<void> {
    const { clusterId } = base;
    return this.database.transaction(async () => {
      await this.backups.finish(base);
      const bases = await this.backups.bases([clusterId]);
      await this.record(clusterId, { bases, ranges: await this.archives.ranges([clusterId]) });
    });
  }

  /** Expires backups before they are deleted, so that one of which a part is gone no longer counts. */
  expire(old: readonly StoredBase[], clusterId: string, kept: StoredBackups): Promise<void> {
    return this.database.transaction(async () => {
      await this.backups.expire(old.map(({ id }) => id));
      await this.record(clusterId, kept);
    });
  }

  private async record(clusterId: string, stored: StoredBackups): Promise<void> {
    const { from } = windowOf({ ...stored, completeUntil: this.clock.now() });
    await this.archives.setRestorableFrom(clusterId, from);
  }
}
