import { Module } from '@nestjs/common';
import { BackupsModule } from '../backups/backups.module.js';
import { DatabasesModule } from '../databases.module.js';
import { DatabaseAttachmentsController } from './database-attachments.controller.js';
import { DatabaseBackupsController } from './database-backups.controller.js';
import { DatabaseBranchesController } from './database-branches.controller.js';
import { DatabaseCredentialsController } from './database-credentials.controller.js';
import { DatabaseQueriesController } from './database-queries.controller.js';
import { DatabaseTransfersController } from './database-transfers.controller.js';
import { DatabasesController } from './databases.controller.js';
import { ExportedDatabases } from './exported-databases.js';

/** The API of project databases. */
@Module({
  imports: [BackupsModule, DatabasesModule],
  controllers: [
    DatabasesController,
    DatabaseAttachmentsController,
    DatabaseBackupsController,
    DatabaseBranchesController,
    DatabaseCredentialsController,
    DatabaseQueriesController,
    DatabaseTransfersController,
  ],
  providers: [ExportedDatabases],
})
export class DatabasesHttpModule {}
