import { Module } from '@nestjs/common';
import { LeakedTokensModule } from '../../auth/leaked-tokens.module.js';
import { SessionsModule } from '../../auth/sessions.module.js';
import { FactorsModule } from '../../factors/factors.module.js';
import { LeakedEmailTokens } from '../leaks/leaked-email-tokens.js';
import { PeopleModule } from '../people.module.js';
import { PeoplePersistenceModule } from '../persistence/people-persistence.module.js';
import { ExportedAccount } from './exported-account.js';
import { ExportController } from './export.controller.js';
import { ExportedSessions } from './exported-sessions.js';
import { EmailChangesModule } from '../emails/email-changes.module.js';
import { AccountController } from './account.controller.js';
import { AuthController } from './auth.controller.js';
import { EmailController } from './email.controller.js';
import { ExternalSignInCompletionController } from './external-sign-in-completion.controller.js';
import { PasswordsController } from './passwords.controller.js';
import { SecondFactorController } from './second-factor.controller.js';
import { SessionOperationsController } from './session-operations.controller.js';
import { SessionsController } from './sessions.controller.js';

@Module({
  imports: [
    PeoplePersistenceModule,
    EmailChangesModule,
    FactorsModule,
    LeakedTokensModule,
    PeopleModule,
    SessionsModule,
  ],
  providers: [ExportedAccount, ExportedSessions, LeakedEmailTokens],
  controllers: [
    AccountController,
    AuthController,
    EmailController,
    ExportController,
    ExternalSignInCompletionController,
    PasswordsController,
    SecondFactorController,
    SessionOperationsController,
    SessionsController,
  ],
})
export class PeopleHttpModule {}
