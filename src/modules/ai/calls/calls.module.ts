import { Module } from '@nestjs/common';
import { CreditsModule } from '../../credits/credits.module.js';
import { AiModule } from '../ai.module.js';
import { AI_METRICS, LostGenerationsCounter } from '../metrics/ai.metrics.js';
import { CallRulesStore } from '../persistence/call-rules.store.js';
import { GenerationsStore } from '../persistence/generations.store.js';
import { LimitsModule } from '../../limits/limits.module.js';
import { ProviderKeysModule } from '../provider-keys/provider-keys.module.js';
import { GenerationContentsService } from '../retention/generation-contents.service.js';
import { RetentionModule } from '../retention/retention.module.js';
import { CallPlanning } from './call-planning.js';
import { CallBilling } from './call-billing.js';
import { GenerationEnds } from './generation-ends.js';
import { GenerationOpener } from './generation-opener.js';
import { GenerationRuns } from './generation-runs.js';
import { GenerationUsage } from './generation-usage.js';
import { GenerationsService } from './generations.service.js';
import { ModelCallsService } from './model-calls.service.js';
import { OrgCallLimits } from './org-call-limits.js';

/** Calls of models, and what they cost. */
@Module({
  imports: [AiModule, CreditsModule, LimitsModule, ProviderKeysModule, RetentionModule],
  providers: [
    CallPlanning,
    CallBilling,
    CallRulesStore,
    GenerationContentsService,
    GenerationEnds,
    GenerationOpener,
    GenerationRuns,
    GenerationsService,
    GenerationsStore,
    GenerationUsage,
    ModelCallsService,
    OrgCallLimits,
    ...AI_METRICS,
  ],
  exports: [
    GenerationContentsService,
    GenerationEnds,
    GenerationsService,
    GenerationsStore,
    LostGenerationsCounter,
    ModelCallsService,
  ],
})
export class CallsModule {}
