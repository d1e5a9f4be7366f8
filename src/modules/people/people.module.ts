import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AttemptsModule } from '../auth/attempts.module.js';
import { KeysModule } from '../auth/keys.module.js';
import { SessionsModule } from '../auth/sessions.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { AccountCreation } from './accounts/account-creation.js';
import { AccountSessions } from './accounts/account-sessions.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AUTH_METRICS } from './accounts/auth.metrics.js';
import { EmailTokensModule } from './accounts/email-tokens.module.js';
import { EmailVerificationService } from './accounts/email-verification.service.js';
import { ForgottenPasswordService } from './accounts/forgotten-password.service.js';
import { KnownAddresses } from './accounts/known-addresses.js';
import { PasswordChangeService } from './accounts/password-change.service.js';
import { PasswordReplacement } from './accounts/password-replacement.js';
import { PasswordResetService } from './accounts/password-reset.service.js';
import { PasswordsService } from './accounts/passwords.service.js';
import { SignInService } from './sign-in.service.js';
import { SignUpService } from './accounts/sign-up.service.js';
import { AccountAttempts } from './attempts/account-attempts.js';
import { PeoplePersistenceModule } from './persistence/people-persistence.module.js';

const SERVICES = [
  EmailVerificationService,
  ForgottenPasswordService,
  PasswordChangeService,
  PasswordResetService,
  SignInService,
  SignUpService,
];

@Module({
  imports: [
    AttemptsModule,
    AuditModule,
    EmailTokensModule,
    KeysModule,
    OrgsModule,
    PeoplePersistenceModule,
    SessionsModule,
  ],
  providers: [
    AccountAttempts,
    AccountCreation,
    AccountSessions,
    AccountsService,
    KnownAddresses,
    PasswordReplacement,
    PasswordsService,
    ...SERVICES,
    ...AUTH_METRICS,
  ],
  exports: SERVICES,
})
export class PeopleModule {}
