import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts.module.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { SessionsModule } from '../sessions.module.js';
import { TokensModule } from '../tokens.module.js';
import { AuthenticatorService } from './authenticator.service.js';
import { RememberedCallers } from './remembered-callers.js';
import { UnknownKeyThrottle } from './unknown-key-throttle.js';
import { UsableKeys } from './usable-keys.js';

@Module({
  imports: [AttemptsModule, PersistenceModule, SessionsModule, TokensModule],
  providers: [AuthenticatorService, RememberedCallers, UnknownKeyThrottle, UsableKeys],
  exports: [AuthenticatorService],
})
export class CallersModule {}
