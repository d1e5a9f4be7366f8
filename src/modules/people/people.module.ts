import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AuditModule } from '../audit/audit.module.js';
import { AttemptsModule } from '../auth/attempts.module.js';
import { KeysModule } from '../auth/keys.module.js';
import { PersonalData } from '../auth/personal-data.js';
import { SessionsModule } from '../auth/sessions.module.js';
import { FactorsModule } from '../factors/factors.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { AccountCreation } from './accounts/account-creation.js';
import { AccountExportService } from './accounts/account-export.service.js';
import { AccountSessions } from './accounts/account-sessions.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AUTH_METRICS } from './accounts/auth.metrics.js';
import { BrowserSignInCompletion } from './accounts/browser-sign-in-completion.js';
import { DoubtfulAccess } from './accounts/doubtful-access.js';
import { EmailTokensModule } from './accounts/email-tokens.module.js';
import { EmailVerificationService } from './accounts/email-verification.service.js';
import { ExternalAccounts } from './accounts/external-accounts.js';
import { ExternalSessions } from './accounts/external-sessions.js';
import { ExternalSignInCompletionService } from './accounts/external-sign-in-completion.service.js';
import { ExternalSignUp } from './accounts/external-sign-up.js';
import { FlowCompletionService } from './accounts/flow-completion.service.js';
import { ForgottenPasswordService } from './accounts/forgotten-password.service.js';
import { KnownAddresses } from './accounts/known-addresses.js';
import { PasswordChangeService } from './accounts/password-change.service.js';
import { PasswordReplacement } from './accounts/password-replacement.js';
import { PasswordResetService } from './accounts/password-reset.service.js';
import { PasswordsService } from './accounts/passwords.service.js';
import { RefusedSignIns } from './accounts/refused-sign-ins.js';
import { SecondSteps } from './accounts/second-steps.js';
import { SecondFactorSignInService } from './second-factor-sign-in.service.js';
import { SessionEndingService } from './accounts/session-ending.service.js';
import { SessionConfirmationService } from './accounts/session-confirmation.service.js';
import { SignInService } from './sign-in.service.js';
import { StolenPasswords } from './accounts/stolen-passwords.js';
import { SignUpService } from './accounts/sign-up.service.js';
import { WaitingChanges } from './accounts/waiting-changes.js';
import { AccountAttemptsModule } from './attempts/account-attempts.module.js';
import { AccessRemoval } from './deletion/access-removal.js';
import { AccountClosure } from './deletion/account-closure.js';
import { AccountDeletionService } from './deletion/account-deletion.service.js';
import { EmailChangesModule } from './emails/email-changes.module.js';
import { SsoModule } from '../sso/sso.module.js';
import { ManagedAccountsService } from './managed-accounts.service.js';
import { PeoplePersistenceModule } from './persistence/people-persistence.module.js';
import { AccountReclaim } from './sso/account-reclaim.js';
import { SsoAccounts } from './sso/sso-accounts.js';
import { SsoSessions } from './sso/sso-sessions.js';
import { SsoSignInCompletionService } from './sso/sso-sign-in-completion.service.js';

const SERVICES = [
  AccountDeletionService,
  AccountExportService,
  EmailVerificationService,
  FlowCompletionService,
  ForgottenPasswordService,
  ManagedAccountsService,
  PasswordChangeService,
  PasswordResetService,
  SecondFactorSignInService,
  SessionConfirmationService,
  SessionEndingService,
  SignInService,
  SignUpService,
];

@Module({
  imports: [
    AccountAttemptsModule,
    AttemptsModule,
    AuditModule,
    DiscoveryModule,
    EmailChangesModule,
    EmailTokensModule,
    FactorsModule,
    IdentitiesModule,
    KeysModule,
    OrgsModule,
    PeoplePersistenceModule,
    SessionsModule,
    SsoModule,
  ],
  providers: [
    AccessRemoval,
    AccountReclaim,
    AccountClosure,
    AccountCreation,
    AccountSessions,
    AccountsService,
    BrowserSignInCompletion,
    DoubtfulAccess,
    ExternalAccounts,
    ExternalSessions,
    ExternalSignInCompletionService,
    ExternalSignUp,
    KnownAddresses,
    PasswordReplacement,
    PasswordsService,
    PersonalData,
    RefusedSignIns,
    SecondSteps,
    SsoAccounts,
    SsoSessions,
    SsoSignInCompletionService,
    StolenPasswords,
    WaitingChanges,
    ...SERVICES,
    ...AUTH_METRICS,
  ],
  exports: SERVICES,
})
export class PeopleModule {}
