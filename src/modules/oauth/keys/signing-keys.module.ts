import { Module } from '@nestjs/common';
import { OauthPersistenceModule } from '../persistence/oauth-persistence.module.js';
import { SigningKeySecrets } from './signing-key-secrets.js';
import { SigningKeysService } from './signing-keys.service.js';

@Module({
  imports: [OauthPersistenceModule],
  providers: [SigningKeySecrets, SigningKeysService],
  exports: [SigningKeySecrets, SigningKeysService],
})
export class SigningKeysModule {}
