import { Injectable } from '@nestjs/common';
import { startOf } from '../backups/backup-label.js';
import { BackupPrograms } from '../backups/backup-programs.js';
import { COPY_LOG, COPY_RUNNING } from '../backups/cluster-scripts.js';
import { ClusterLocks } from '../backups/cluster-locks.js';
import { BEGIN_BACKUP, endOfBackup, PlatformSessions } from '../backups/platform-sessions.js';
import { OwnEngine } from '../engine/own/own-engine.js';

/** Clients of a sleeping parent wait while it is copied, so larger ones are copied while they run. */
const LARGEST_ASLEEP_BYTES = 2_000_000_000n;

/** Copies clusters. The parent is not changed. */
@Injectable()
export class ClusterCopies {
  constructor(
    private readonly engine: OwnEngine,
    private readonly sessions: PlatformSessions,
    private readonly programs: BackupPrograms,
    private readonly locks: ClusterLocks,
  ) {}

  async copy(parentId: string, clusterId: string, signal: AbortSignal): Promise<void> {
    const isSmall = (): Promise<boolean> =>
      this.engine.measure(parentId).then(({ bytes }) => bytes <= LARGEST_ASLEEP_BYTES);
    if (!this.engine.isAwake(parentId) && (await isSmall())) return this.engine.clone(parentId, clusterId);
    await this.engine.prepare(clusterId);
    // Nothing leaves the archive meanwhile, so all of the log since the beginning is there or in its first place.
    await this.locks.run(parentId, () => this.copyRunning(parentId, clusterId, signal));
    await this.engine.complete(clusterId, parentId);
  }

  private copyRunning(parentId: string, clusterId: string, signal: AbortSignal): Promise<void> {
    return this.sessions.run(parentId, async (query) => {
      await query(BEGIN_BACKUP);
      await this.programs.require(clusterId, { script: COPY_RUNNING, parentId, signal });
      const { label } = await endOfBackup(query);
      startOf(label);
      await this.programs.require(clusterId, { script: COPY_LOG, parentId, input: textOf(label), signal });
    });
  }
}

async function* textOf(text: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(text));
}
