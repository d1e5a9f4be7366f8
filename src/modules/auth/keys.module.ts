import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { TokensModule } from './tokens.module.js';
import { GrantKeysService } from './grant-keys.service.js';
import { KeyBounds } from './keys/key-bounds.js';
import { KeyHistory } from './keys/key-history.js';
import { KeyIssuer } from './keys/key-issuer.js';
import { KeyLifetimes } from './keys/key-lifetimes.js';
import { KeyUsage } from './keys/key-usage.js';
import { KeysService } from './keys.service.js';
import { LiveCredential } from './keys/live-credential.js';
import { OrgKeysService } from './org-keys.service.js';

@Module({
  imports: [AuditModule, PersistenceModule, TokensModule],
  providers: [
    GrantKeysService,
    KeyBounds,
    KeyHistory,
    KeyIssuer,
    KeyLifetimes,
    KeysService,
    KeyUsage,
    LiveCredential,
    OrgKeysService,
  ],
  exports: [GrantKeysService, KeyHistory, KeysService, KeyUsage, OrgKeysService],
})
export class KeysModule {}
