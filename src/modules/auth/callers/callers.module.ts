import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AuthenticatorService } from './authenticator.service.js';
import { RememberedCallers } from './remembered-callers.js';
import { Strangers } from './strangers.js';

@Module({
  imports: [AttemptsModule, PersistenceModule, SessionsModule, TokensModule],
  providers: [AuthenticatorService, RememberedCallers, Strangers],
  exports: [AuthenticatorService],
})
export class CallersModule {}
