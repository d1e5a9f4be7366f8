import { Module } from '@nestjs/common';
import { AuditModule } from './audit/audit.module.js';
import { OwningOrgs } from './owning-orgs.service.js';
import { PersistenceModule } from './persistence/persistence.module.js';

/** For modules whose resources belong to organizations. */
@Module({ imports: [AuditModule, PersistenceModule], providers: [OwningOrgs], exports: [OwningOrgs] })
export class OwningOrgsModule {}
