import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { TokensModule } from '../auth/tokens.module.js';
import { OrgDirectory } from './org-directory.js';
import { OrgOfPath } from './org-of-path.js';
import { OrgPlans } from './org-plans.js';
import { OrgEpochs } from './organizations/org-epochs.js';
import { OrgsPersistenceModule } from './persistence/orgs-persistence.module.js';

/** For modules whose resources belong to organizations. */
@Module({
  imports: [AuditModule, OrgsPersistenceModule, TokensModule],
  providers: [OrgDirectory, OrgEpochs, OrgOfPath, OrgPlans],
  exports: [OrgDirectory, OrgOfPath, OrgPlans],
})
export class OrgDirectoryModule {}
