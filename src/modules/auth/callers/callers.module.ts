import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts.module.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { RunPrincipalsModule } from '../run-principals.module.js';
import { SessionsModule } from '../sessions.module.js';
import { TokensModule } from '../tokens.module.js';
import { AuthenticatorService } from './authenticator.service.js';
import { CallerLookup } from './caller-lookup.js';
import { GrantAuthenticatorService } from './grant-authenticator.service.js';
import { RememberedCallers } from './remembered-callers.js';
import { UsableKeys } from './usable-keys.js';

@Module({
  imports: [AttemptsModule, PersistenceModule, RunPrincipalsModule, SessionsModule, TokensModule],
  providers: [AuthenticatorService, CallerLookup, GrantAuthenticatorService, RememberedCallers, UsableKeys],
  exports: [AuthenticatorService, GrantAuthenticatorService],
})
export class CallersModule {}
