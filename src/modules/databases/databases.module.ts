import { Module } from '@nestjs/common';
import { CreditsModule } from '../credits/credits.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { DatabaseAttachments } from './database-attachments.js';
import { CredentialIssuer } from './credentials/credential-issuer.js';
import { DatabaseCredentialsService } from './credentials/database-credentials.service.js';
import { DatabaseAccessModule } from './database-access.module.js';
import { AttachmentManagementService } from './domain/attachment-management.service.js';
import { DatabaseAdmission } from './domain/database-admission.js';
import { DatabaseChanges } from './domain/database-changes.js';
import { DatabaseCreation } from './domain/database-creation.js';
import { DatabaseDeletion } from './domain/database-deletion.js';
import { DatabaseDescriptions } from './domain/database-descriptions.js';
import { DatabaseDirectory } from './domain/database-directory.js';
import { DatabasesCounter } from './domain/databases-counter.js';
import { DatabasesService } from './domain/databases.service.js';
import { PreviewBranches } from './domain/preview-branches.js';
import { PublicAddress } from './domain/public-address.js';
import { RestorableTimes } from './domain/restorable-times.js';
import { DatabaseInspection } from './sql/database-inspection.js';
import { DatabaseQueries } from './sql/database-queries.js';
import { QueryRoom } from './sql/query-room.js';
import { QueryRunner } from './sql/query-runner.js';
import { OrgDatabasesService } from './org-databases.service.js';
import { OperationsModule } from './operations/operations.module.js';
import { DatabaseExport } from './transfer/database-export.js';
import { DatabaseImport } from './transfer/database-import.js';
import { DatabasesPersistenceModule } from './persistence/databases-persistence.module.js';

/** PostgreSQL databases of organizations: their rows, and what changes them. The data is kept by their hosts. */
@Module({
  imports: [
    CreditsModule,
    DatabaseAccessModule,
    DatabasesPersistenceModule,
    OperationsModule,
    OrgDirectoryModule,
    PlansModule,
    ProjectsModule,
  ],
  providers: [
    CredentialIssuer,
    DatabaseCredentialsService,
    DatabaseQueries,
    DatabaseExport,
    DatabaseImport,
    DatabaseInspection,
    QueryRoom,
    QueryRunner,
    AttachmentManagementService,
    DatabaseAdmission,
    DatabaseAttachments,
    DatabaseChanges,
    DatabaseCreation,
    DatabaseDeletion,
    DatabaseDescriptions,
    DatabaseDirectory,
    DatabasesCounter,
    DatabasesService,
    OrgDatabasesService,
    PreviewBranches,
    PublicAddress,
    RestorableTimes,
  ],
  exports: [
    DatabaseCredentialsService,
    DatabaseQueries,
    DatabaseInspection,
    DatabaseExport,
    DatabaseImport,
    DatabaseAttachments,
    DatabasesService,
    OrgDatabasesService,
    // Other parts of this module need these.
    AttachmentManagementService,
    DatabaseAdmission,
    DatabaseCreation,
    DatabaseDeletion,
    DatabaseDescriptions,
    DatabaseDirectory,
    OperationsModule,
    PreviewBranches,
    PublicAddress,
    RestorableTimes,
  ],
})
export class DatabasesModule {}
