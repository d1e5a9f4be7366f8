import { Module } from '@nestjs/common';
import { BranchDatabase } from '../branches/branch-database.js';
import { ClusterCopies } from '../branches/cluster-copies.js';
import { SwapDatabases } from '../branches/swap-databases.js';
import { HostIdentityModule } from '../host/host-identity.module.js';
import { ArchivesSweeper } from '../jobs/archives.sweeper.js';
import { BackupsSweeper } from '../jobs/backups.sweeper.js';
import { BACKUP_METRICS } from '../metrics/backup.metrics.js';
import { OperationsModule } from '../operations/operations.module.js';
import { BackupsPersistenceModule } from '../persistence/backups-persistence.module.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { ArchivedLog } from './archived-log.js';
import { ArchiveLoop } from './archive-loop.js';
import { BackupBlobsModule } from './backup-blobs.module.js';
import { BackupPlanner } from './backup-planner.js';
import { BackupPrograms } from './backup-programs.js';
import { BackupRemoval } from './backup-removal.js';
import { BackupWorker } from './backup-worker.js';
import { BaseBackups } from './base-backups.js';
import { ClusterDisks } from './cluster-disks.js';
import { ClusterLocks } from './cluster-locks.js';
import { ExpiredBackupsModule } from './expired-backups.module.js';
import { PlatformSessions } from './platform-sessions.js';
import { PreparedSettings } from './prepared-settings.js';
import { RestoreDatabase } from './restore-database.js';
import { RestoredClusters } from './restored-clusters.js';
import { Restores } from './restores.js';
import { WalDrain } from './wal-drain.js';

/** Backs up, restores, copies and swaps the databases of this host. It runs in the role `databases`. */
@Module({
  imports: [
    BackupBlobsModule,
    BackupsPersistenceModule,
    DatabasesPersistenceModule,
    ExpiredBackupsModule,
    HostIdentityModule,
    OperationsModule,
  ],
  providers: [
    ...BACKUP_METRICS,
    ArchivedLog,
    ArchiveLoop,
    ArchivesSweeper,
    BackupPlanner,
    BackupPrograms,
    BackupRemoval,
    BackupsSweeper,
    BackupWorker,
    BaseBackups,
    BranchDatabase,
    ClusterCopies,
    ClusterDisks,
    ClusterLocks,
    PlatformSessions,
    PreparedSettings,
    RestoreDatabase,
    RestoredClusters,
    Restores,
    SwapDatabases,
    WalDrain,
  ],
})
export class BackupsHostModule {}
