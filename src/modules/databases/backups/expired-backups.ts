import { Injectable } from '@nestjs/common';
import { batchesOf } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Plan, PLANS } from '../../plans/plan.js';
import { quotaBytesOf } from '../domain/described-database.js';
import { DatabaseBackupsStore } from '../persistence/database-backups.store.js';
import { WalArchivesStore } from '../persistence/wal-archives.store.js';
import { BackupBlobs, deleteBelow, keyOfRange, prefixOfBackup, prefixOfCluster } from './backup-blobs.js';
import { RestorableFrom } from './restorable-from.js';
import { bytesOf, bytesSinceLastBase, expired, mostStoredBytes } from './retention.js';

const DAY_MS = 86_400_000;
const BATCH = 100;
/** A new base is due when the log since the last one takes this part of what may be stored. */
const BASES_IN_BOUND = 4;

/** Deletes what no restore can need any longer. */
@Injectable()
export class ExpiredBackups {
  constructor(
    private readonly backups: DatabaseBackupsStore,
    private readonly archives: WalArchivesStore,
    private readonly blobs: BackupBlobs,
    private readonly orgs: OrgDirectory,
    private readonly restorableFrom: RestorableFrom,
    private readonly clock: Clock,
  ) {}

  async delete(stopping: AbortSignal): Promise<void> {
    for (const clusterId of await this.archives.withoutDatabase(BATCH)) {
      if (stopping.aborted) return;
      await this.deleteCluster(clusterId);
    }
    const read = (last: { clusterId: string } | undefined, limit: number) =>
      this.archives.clustersOfDatabases(last?.clusterId ?? '', limit);
    for await (const clusters of batchesOf(read, { size: BATCH, stopping })) {
      const plans = await this.orgs.plansOf([...new Set(clusters.map(({ orgId }) => orgId))]);
      for (const { clusterId, orgId } of clusters) {
        if (stopping.aborted) return;
        await this.deleteOld(clusterId, PLANS[plans.get(orgId) ?? 'free']);
      }
    }
  }

  /** Deletes everything that is stored of a cluster. It may be repeated. */
  async deleteCluster(clusterId: string): Promise<void> {
    await deleteBelow(this.blobs, prefixOfCluster(clusterId));
    await this.archives.deleteCluster(clusterId);
  }

  /** Rows go after their blobs, so that what an interruption leaves is found again. */
  private async deleteOld(clusterId: string, plan: Plan): Promise<void> {
    const now = this.clock.now();
    const { restoreDays } = plan.databases;
    const mostBytes = mostStoredBytes(quotaBytesOf(plan), restoreDays);
    const [bases, ranges] = await Promise.all([this.backups.bases([clusterId]), this.archives.ranges([clusterId])]);
    const old = expired({ bases, ranges }, { restoreDays, mostBytes, now });
    const kept = {
      bases: bases.filter((base) => !old.bases.includes(base)),
      ranges: ranges.filter((range) => !old.ranges.includes(range)),
    };
    await this.restorableFrom.expire(old.bases, clusterId, kept);
    const isBaseWanted = bytesSinceLastBase(kept) > mostBytes / BASES_IN_BOUND;
    await this.archives.setStored(clusterId, bytesOf(kept), isBaseWanted ? now : null);
    const leftovers = await this.backups.leftovers(clusterId, new Date(now.getTime() - restoreDays * DAY_MS));
    for (const { id } of leftovers) {
      await deleteBelow(this.blobs, prefixOfBackup(clusterId, id));
      await this.backups.delete(id);
    }
    for (const range of old.ranges) {
      await this.blobs.delete(keyOfRange(clusterId, range));
      await this.archives.deleteRange(range);
    }
  }
}
