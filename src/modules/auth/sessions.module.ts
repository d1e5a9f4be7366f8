import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { TokensModule } from './tokens.module.js';
import { ExemptEntries } from './sessions/exempt-entries.js';
import { SessionHistory } from './sessions/session-history.js';
import { SessionsService } from './sessions.service.js';
import { SignInFlowsService } from './sign-in-flows.service.js';

@Module({
  imports: [AuditModule, PersistenceModule, TokensModule],
  providers: [ExemptEntries, SessionHistory, SessionsService, SignInFlowsService],
  exports: [SessionHistory, SessionsService, SignInFlowsService],
})
export class SessionsModule {}
