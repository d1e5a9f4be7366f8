import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { BackupMetrics } from '../metrics/backup.metrics.js';
import { OperatingHost } from '../operations/operating-host.js';
import { BackupPlanner } from './backup-planner.js';
import { BaseBackups } from './base-backups.js';

const ATTEMPTS = 4;
/** A database that does not start for a moment is tried again after this time, times the number of attempts. */
const PAUSE_MS = 30_000;

/**
 * Makes the backups of the databases of this host, one at a time, so that they leave the disk to its users. No other
 * process has these databases, so nothing needs to be claimed.
 */
@Injectable()
export class BackupWorker {
  /** Backups that failed a moment ago, and when they may be tried again. */
  private readonly paused = new Map<string, number>();

  constructor(
    private readonly host: OperatingHost,
    private readonly planner: BackupPlanner,
    private readonly bases: BaseBackups,
    private readonly metrics: BackupMetrics,
    private readonly log: Log,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const { id: hostId } = this.host;
    if (hostId === undefined) return;
    for (const [id, untilMs] of this.paused) if (untilMs < performance.now()) this.paused.delete(id);
    for (const { id, attempt } of await this.planner.next(hostId, [...this.paused.keys()])) {
      if (stopping.aborted) return;
      await this.make(id, attempt + 1, stopping);
    }
  }

  private async make(id: string, attempt: number, stopping: AbortSignal): Promise<void> {
    try {
      await this.bases.make(id, stopping);
      this.metrics.ended('ready');
    } catch (error) {
      if (stopping.aborted) return;
      this.log.warn({ error, backupId: id, attempt }, 'A backup of a database failed.');
      this.paused.set(id, performance.now() + PAUSE_MS * attempt);
      if (attempt < ATTEMPTS) return;
      await this.planner.giveUp(id);
      this.metrics.ended('failed');
    }
  }
}
