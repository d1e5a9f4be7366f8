import { Module } from '@nestjs/common';
import { MeteringModule } from '../../metering/metering.module.js';
import { DatabasesModule } from '../databases.module.js';
import { DATABASE_GAUGES } from '../metrics/database.metrics.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { DatabaseStorageSource } from '../quotas/database-storage-source.js';
import { DatabasesOrgDeletedProcessor } from './databases-org-deleted.processor.js';
import { DatabasesProjectDeletedProcessor } from './databases-project-deleted.processor.js';
import { DeletedDatabasesSweeper } from './deleted-databases.sweeper.js';
import { LostCreationsSweeper } from './lost-creations.sweeper.js';
import { OldOperationsSweeper } from './old-operations.sweeper.js';
import { UnusedBranchesSweeper } from './unused-branches.sweeper.js';

@Module({
  imports: [DatabasesModule, DatabasesPersistenceModule, MeteringModule],
  providers: [
    ...DATABASE_GAUGES,
    DatabaseStorageSource,
    DatabasesOrgDeletedProcessor,
    DatabasesProjectDeletedProcessor,
    DeletedDatabasesSweeper,
    LostCreationsSweeper,
    OldOperationsSweeper,
    UnusedBranchesSweeper,
  ],
})
export class DatabasesJobsModule {}
