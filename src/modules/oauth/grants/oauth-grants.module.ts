import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { KeysModule } from '../../auth/keys.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { OauthPersistenceModule } from '../persistence/oauth-persistence.module.js';
import { GrantHistory } from './grant-history.js';
import { OauthGrantsService } from './oauth-grants.service.js';
import { OrgGrantsService } from './org-grants.service.js';

@Module({
  imports: [AuditModule, KeysModule, OauthPersistenceModule, OrgDirectoryModule],
  providers: [GrantHistory, OauthGrantsService, OrgGrantsService],
  exports: [OauthGrantsService, OrgGrantsService],
})
export class OauthGrantsModule {}
