import { Injectable } from '@nestjs/common';
import { gzipSync } from 'node:zlib';
import { Clock } from '../../../platform/time/clock.js';
import { DatabaseNotRestorable } from '../databases.errors.js';
import { DatabaseBackupsStore } from '../persistence/database-backups.store.js';
import type { StoredBase, StoredRange } from '../persistence/backup-rows.js';
import { WalArchivesStore } from '../persistence/wal-archives.store.js';
import { BackupBlobs, keyOfRange, prefixOfAttempt, readParts } from './backup-blobs.js';
import { BackupPrograms } from './backup-programs.js';
import { LOG_ENDED_BEFORE, RECOVER, RESTORE_IN } from './cluster-scripts.js';
import { PreparedSettings } from './prepared-settings.js';
import { type Plan, planFor, windowOf } from './restore-window.js';
import { tarOf } from './tar-entries.js';

const WHILE_RECOVERING = {
  archive_mode: 'off',
  // Nobody asks meanwhile, and a smaller plan may allow fewer connections than the one that the log was written with.
  hot_standby: 'off',
  // The log is unpacked to where the server looks for it next.
  restore_command: 'false',
  recovery_target_action: 'promote',
  max_wal_size: '1GB',
} as const;

export interface Restore {
  readonly sourceId: string;
  readonly targetId: string;
  /** Null for the last moment that is stored. */
  readonly at: Date | null;
}

/** Makes the data of a new database from what is stored of another one. */
@Injectable()
export class Restores {
  constructor(
    private readonly backups: DatabaseBackupsStore,
    private readonly archives: WalArchivesStore,
    private readonly blobs: BackupBlobs,
    private readonly programs: BackupPrograms,
    private readonly settings: PreparedSettings,
    private readonly clock: Clock,
  ) {}

  /** Unpacks a backup and the log after it. @throws {DatabaseNotRestorable} `database_not_restorable` */
  async unpack({ sourceId, targetId, at }: Restore, signal: AbortSignal): Promise<void> {
    const plan = await this.plan(sourceId, at);
    await this.programs.require(targetId, { script: RESTORE_IN, input: this.contentOf(plan), signal });
  }

  /** Replays the log up to the moment, and not one transaction further. */
  async recover({ targetId, at }: Restore, signal: AbortSignal): Promise<void> {
    await this.settings.write(targetId);
    const run = async (settings: Readonly<Record<string, string>>): Promise<number> => {
      const { status, said } = await this.programs.run(targetId, {
        script: RECOVER,
        serverSettings: { ...WHILE_RECOVERING, ...settings },
        signal,
      });
      if (status !== 0 && status !== LOG_ENDED_BEFORE)
        throw new Error(`The recovery of ${targetId} ended with ${status}: ${said}`);
      return status;
    };
    const status = await run(at === null ? {} : { recovery_target_time: timeOf(at) });
    // The log holds no transaction after the moment, so all of it belongs to the state then.
    if (status === LOG_ENDED_BEFORE && (await run({})) !== 0)
      throw new Error(`The recovery of ${targetId} found no end.`);
  }

  private async plan(sourceId: string, at: Date | null): Promise<Plan<StoredBase, StoredRange>> {
    const [bases, ranges, [archive]] = await Promise.all([
      this.backups.bases([sourceId]),
      this.archives.ranges([sourceId]),
      this.archives.archives([sourceId]),
    ]);
    const now = this.clock.now();
    const stored = { bases, ranges, completeUntil: at === null ? now : (archive?.completeUntil ?? null) };
    const plan = planFor(stored, at ?? now);
    if (plan === undefined)
      throw new DatabaseNotRestorable('The database cannot be restored to this moment.', windowOf(stored));
    return plan;
  }

  /** Streams of gzip, and archives in them, may follow each other. */
  private async *contentOf({ base, ranges }: Plan<StoredBase, StoredRange>): AsyncGenerator<Buffer> {
    const { clusterId, id, attempt, partBytes, label } = base;
    yield* readParts(this.blobs, prefixOfAttempt(clusterId, id, attempt), partBytes);
    yield gzipSync(tarOf([{ name: 'backup_label', content: Buffer.from(label) }]));
    for (const range of ranges) yield* (await this.blobs.get(keyOfRange(clusterId, range))) as AsyncIterable<Buffer>;
  }
}

/** A server that starts does not know the names of time zones yet. */
const timeOf = (at: Date): string => at.toISOString().replace('T', ' ').replace('Z', '+00');
