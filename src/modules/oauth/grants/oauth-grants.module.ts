import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { KeysModule } from '../../auth/keys.module.js';
import { OauthPersistenceModule } from '../persistence/oauth-persistence.module.js';
import { OauthGrantsService } from './oauth-grants.service.js';

@Module({
  imports: [AuditModule, KeysModule, OauthPersistenceModule],
  providers: [OauthGrantsService],
  exports: [OauthGrantsService],
})
export class OauthGrantsModule {}
