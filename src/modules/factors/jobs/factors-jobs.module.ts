import { Module } from '@nestjs/common';
import { ReencryptionModule } from '../../../platform/secrets/reencryption.module.js';
import { FactorsModule } from '../factors.module.js';
import { FactorsPersistenceModule } from '../persistence/factors-persistence.module.js';
import { EncryptedTotpSecrets } from './encrypted-totp-secrets.js';
import { FactorRecoveriesSweeper } from './factor-recoveries.sweeper.js';
import { SpentChallengesSweeper } from './spent-challenges.sweeper.js';

@Module({
  imports: [FactorsModule, FactorsPersistenceModule, ReencryptionModule],
  providers: [EncryptedTotpSecrets, FactorRecoveriesSweeper, SpentChallengesSweeper],
})
export class FactorsJobsModule {}
