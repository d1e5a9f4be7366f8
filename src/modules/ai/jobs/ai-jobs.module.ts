import { Module } from '@nestjs/common';
import { ReencryptionModule } from '../../../platform/secrets/reencryption.module.js';
import { AiModule } from '../ai.module.js';
import { CallsModule } from '../calls/calls.module.js';
import { GenerationSweeper } from '../calls/generation-sweeper.js';
import { OldGenerationsSweeper } from '../calls/old-generations-sweeper.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { ProviderKeysModule } from '../provider-keys/provider-keys.module.js';
import { RetentionModule } from '../retention/retention.module.js';
import { AiOrgDeletedProcessor } from './ai-org-deleted.processor.js';
import { EncryptedGenerationContents } from './encrypted-generation-contents.js';
import { EncryptedProviderKeys } from './encrypted-provider-keys.js';
import { KeptTextsSweeper } from './kept-texts-sweeper.js';
import { PriceSyncTimer } from './price-sync.timer.js';

@Module({
  imports: [AiModule, CallsModule, PoliciesModule, ProviderKeysModule, ReencryptionModule, RetentionModule],
  providers: [
    AiOrgDeletedProcessor,
    EncryptedGenerationContents,
    EncryptedProviderKeys,
    GenerationSweeper,
    KeptTextsSweeper,
    OldGenerationsSweeper,
    PriceSyncTimer,
  ],
})
export class AiJobsModule {}
