import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { SessionsModule } from '../../auth/sessions.module.js';
import { EmailTokensModule } from '../accounts/email-tokens.module.js';
import { AccountAttemptsModule } from '../attempts/account-attempts.module.js';
import { PeoplePersistenceModule } from '../persistence/people-persistence.module.js';
import { PendingEmailChange } from './pending-email-change.js';
import { EmailChangeCompletion } from './email-change-completion.js';
import { EmailChangeConfirmationService } from './email-change-confirmation.service.js';
import { EmailChangeCreation } from './email-change-creation.js';
import { EmailChangeHistory } from './email-change-history.js';
import { EmailChangesService } from './email-changes.service.js';
import { WaitingEmailChangesService } from './waiting-email-changes.service.js';

const SERVICES = [PendingEmailChange, EmailChangeConfirmationService, EmailChangesService, WaitingEmailChangesService];

@Module({
  imports: [AccountAttemptsModule, AuditModule, EmailTokensModule, PeoplePersistenceModule, SessionsModule],
  providers: [EmailChangeCompletion, EmailChangeCreation, EmailChangeHistory, ...SERVICES],
  exports: SERVICES,
})
export class EmailChangesModule {}
