import { Module } from '@nestjs/common';
import { KeysModule } from '../keys.module.js';
import { LeakedTokensModule } from '../leaked-tokens.module.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { SessionsModule } from '../sessions.module.js';
import { LeakedKeys } from './leaked-keys.js';
import { LeakedSessions } from './leaked-sessions.js';
import { LeakedSignInFlows } from './leaked-sign-in-flows.js';

@Module({
  imports: [KeysModule, LeakedTokensModule, PersistenceModule, SessionsModule],
  providers: [LeakedKeys, LeakedSessions, LeakedSignInFlows],
})
export class LeaksModule {}
