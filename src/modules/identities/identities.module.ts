import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AttemptsModule } from '../auth/attempts.module.js';
import { SessionsModule } from '../auth/sessions.module.js';
import { TokensModule } from '../auth/tokens.module.js';
import { BrowserSignInDecisionsService } from './browser/browser-sign-in-decisions.service.js';
import { BrowserSignInsService } from './browser-sign-ins.service.js';
import { IdentityBeginningsService } from './changes/identity-beginnings.service.js';
import { IdentityChangesService } from './changes/identity-changes.service.js';
import { ExternalSignInsService } from './external-sign-ins.service.js';
import { ExternalSignInStepsService } from './flows/external-sign-in-steps.service.js';
import { FlowBeginningsService } from './flows/flow-beginnings.service.js';
import { IdentityHistory } from './history/identity-history.js';
import { IdentitiesService } from './identities.service.js';
import { PROVIDER_METRICS } from './metrics/provider.metrics.js';
import { IdentitiesPersistenceModule } from './persistence/identities-persistence.module.js';
import { ProvidersModule } from './providers/providers.module.js';
import { VerifiedAnswersService } from './verified-answers.service.js';

@Module({
  imports: [AttemptsModule, AuditModule, IdentitiesPersistenceModule, ProvidersModule, SessionsModule, TokensModule],
  providers: [
    BrowserSignInDecisionsService,
    BrowserSignInsService,
    FlowBeginningsService,
    ExternalSignInsService,
    ExternalSignInStepsService,
    IdentitiesService,
    IdentityBeginningsService,
    IdentityChangesService,
    IdentityHistory,
    VerifiedAnswersService,
    ...PROVIDER_METRICS,
  ],
  exports: [
    BrowserSignInDecisionsService,
    BrowserSignInsService,
    FlowBeginningsService,
    ExternalSignInsService,
    ExternalSignInStepsService,
    IdentitiesService,
    IdentityBeginningsService,
    IdentityChangesService,
    ProvidersModule,
    VerifiedAnswersService,
  ],
})
export class IdentitiesModule {}
