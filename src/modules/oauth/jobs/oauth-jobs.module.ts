import { Module } from '@nestjs/common';
import { ReencryptionModule } from '../../../platform/secrets/reencryption.module.js';
import { OauthGrantsModule } from '../grants/oauth-grants.module.js';
import { SigningKeysModule } from '../keys/signing-keys.module.js';
import { OauthPersistenceModule } from '../persistence/oauth-persistence.module.js';
import { EncryptedSigningKeys } from './encrypted-signing-keys.js';
import { ExpiredOauthSweeper } from './expired-oauth.sweeper.js';
import { OauthSigningKeysRotation } from './oauth-signing-keys.rotation.js';

@Module({
  imports: [OauthGrantsModule, OauthPersistenceModule, ReencryptionModule, SigningKeysModule],
  providers: [EncryptedSigningKeys, ExpiredOauthSweeper, OauthSigningKeysRotation],
})
export class OauthJobsModule {}
