import { Module } from '@nestjs/common';
import { AuditModule } from './audit/audit.module.js';
import { OrgPlans } from './org-plans.service.js';
import { OwningOrgs } from './owning-orgs.service.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { TokensModule } from './tokens/tokens.module.js';

/** For modules whose resources belong to organizations. */
@Module({
  imports: [AuditModule, PersistenceModule, TokensModule],
  providers: [OrgPlans, OwningOrgs],
  exports: [OrgPlans, OwningOrgs],
})
export class OwningOrgsModule {}
