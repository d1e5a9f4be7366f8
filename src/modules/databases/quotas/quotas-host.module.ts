import { Module } from '@nestjs/common';
import { CreditsModule } from '../../credits/credits.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { HostIdentityModule } from '../host/host-identity.module.js';
import { DatabaseQuotasSweeper } from '../jobs/database-quotas.sweeper.js';
import { OperationsModule } from '../operations/operations.module.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { DatabaseQuotas } from './database-quotas.js';
import { QuotaEnforcement } from './quota-enforcement.js';

/** Keeps the databases of this host within what their plans and credits allow. It runs in the role `databases`. */
@Module({
  imports: [CreditsModule, DatabasesPersistenceModule, OperationsModule, OrgDirectoryModule, HostIdentityModule],
  providers: [DatabaseQuotas, DatabaseQuotasSweeper, QuotaEnforcement],
})
export class QuotasHostModule {}
