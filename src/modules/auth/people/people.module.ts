import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AccountsService } from './accounts.service.js';
import { AUTH_METRICS } from './auth.metrics.js';
import { EmailTokensModule } from './email-tokens.module.js';
import { EmailVerificationService } from './email-verification.service.js';
import { KnownAddresses } from './known-addresses.service.js';
import { PasswordResetService } from './password-reset.service.js';
import { PasswordsService } from './passwords.service.js';
import { SignInService } from './sign-in.service.js';
import { SignUpService } from './sign-up.service.js';

const SERVICES = [EmailVerificationService, PasswordResetService, SignInService, SignUpService];

@Module({
  imports: [
    AttemptsModule,
    AuditModule,
    EmailTokensModule,
    KeysModule,
    OrgsModule,
    PersistenceModule,
    SessionsModule,
    TokensModule,
  ],
  providers: [AccountsService, KnownAddresses, PasswordsService, ...SERVICES, ...AUTH_METRICS],
  exports: SERVICES,
})
export class PeopleModule {}
