import { Module } from '@nestjs/common';
import { DatabaseBranchesService } from '../branches/database-branches.service.js';
import { DatabaseSwapsService } from '../branches/database-swaps.service.js';
import { DatabasesModule } from '../databases.module.js';
import { BackupsPersistenceModule } from '../persistence/backups-persistence.module.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { DatabaseBackupsService } from './database-backups.service.js';
import { DatabaseRestoresService } from './database-restores.service.js';
import { RestorableWindows } from './restorable-windows.js';

const SERVICES = [DatabaseBackupsService, DatabaseBranchesService, DatabaseRestoresService, DatabaseSwapsService];

/** What callers ask for: backups, restores, branches and swaps. Hosts do it. */
@Module({
  imports: [BackupsPersistenceModule, DatabasesModule, DatabasesPersistenceModule],
  providers: [...SERVICES, RestorableWindows],
  exports: SERVICES,
})
export class BackupsModule {}
