import { Module } from '@nestjs/common';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AuthenticatorService } from './authenticator.service.js';
import { RememberedCallers } from './remembered-callers.js';

@Module({ imports: [PersistenceModule, SessionsModule, TokensModule], providers: [AuthenticatorService, RememberedCallers], exports: [AuthenticatorService] })
export class CallersModule {}
