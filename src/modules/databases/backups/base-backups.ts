import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { DatabaseBackupsStore } from '../persistence/database-backups.store.js';
import type { StoredBase } from '../persistence/backup-rows.js';
import { ArchivedLog } from './archived-log.js';
import { segmentBefore, startOf } from './backup-label.js';
import { BackupBlobs, deleteBelow, prefixOfAttempt, prefixOfBackup, storeParts } from './backup-blobs.js';
import { BackupPrograms } from './backup-programs.js';
import { BASE_OUT } from './cluster-scripts.js';
import { RestorableFrom } from './restorable-from.js';
import { BEGIN_BACKUP, endOfBackup, PlatformSessions } from './platform-sessions.js';

type Copied = Pick<StoredBase, 'label' | 'partBytes' | 'finishedAt'> & { readonly lsn: string };

/** Copies the files of clusters to storage, while they are used. */
@Injectable()
export class BaseBackups {
  constructor(
    private readonly backups: DatabaseBackupsStore,
    private readonly blobs: BackupBlobs,
    private readonly sessions: PlatformSessions,
    private readonly programs: BackupPrograms,
    private readonly log: ArchivedLog,
    private readonly restorableFrom: RestorableFrom,
    private readonly clock: Clock,
  ) {}

  /** Makes a backup that was asked for. One that is over is left alone. */
  async make(backupId: string, signal: AbortSignal): Promise<void> {
    const backup = await this.backups.begin(backupId);
    if (backup === undefined) return;
    const { id, clusterId, attempt } = backup;
    // What interrupted attempts have left.
    await deleteBelow(this.blobs, prefixOfBackup(clusterId, id));
    const { lsn, ...copied } = await this.copy(clusterId, prefixOfAttempt(clusterId, id, attempt), signal);
    const { timeline, number: startSegment } = startOf(copied.label);
    const stopSegment = segmentBefore(lsn);
    // Without the log until its end, the copy is of no use.
    await this.log.reach(clusterId, { timeline, number: stopSegment }, signal);
    await this.restorableFrom.finish({ id, clusterId, attempt, timeline, startSegment, stopSegment, ...copied });
  }

  private copy(clusterId: string, prefix: string, signal: AbortSignal): Promise<Copied> {
    return this.sessions.run(clusterId, async (query) => {
      await query(BEGIN_BACKUP);
      const partBytes = await this.programs.require(clusterId, {
        script: BASE_OUT,
        output: (stdout) => storeParts(this.blobs, prefix, stdout),
        signal,
      });
      const { lsn, label } = await endOfBackup(query);
      return { lsn, label, finishedAt: this.clock.now(), partBytes };
    });
  }
}
