import { Module } from '@nestjs/common';
import { AiModule } from '../ai.module.js';
import { CallsModule } from '../calls/calls.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { ProviderKeysModule } from '../provider-keys/provider-keys.module.js';
import { CallAnswers } from './call-answers.js';
import { GenerationsController } from './generations.controller.js';
import { ModelCallsController } from './model-calls.controller.js';
import { ModelPolicyController } from './model-policy.controller.js';
import { ModelsController } from './models.controller.js';
import { ProviderKeysController } from './provider-keys.controller.js';

@Module({
  imports: [AiModule, CallsModule, PoliciesModule, ProviderKeysModule],
  providers: [CallAnswers],
  controllers: [
    GenerationsController,
    ModelCallsController,
    ModelPolicyController,
    ModelsController,
    ProviderKeysController,
  ],
})
export class AiHttpModule {}
