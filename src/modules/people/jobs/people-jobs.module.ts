import { Module } from '@nestjs/common';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { KeysModule } from '../../auth/keys.module.js';
import { SessionsModule } from '../../auth/sessions.module.js';
import { FactorsModule } from '../../factors/factors.module.js';
import { IdentitiesModule } from '../../identities/identities.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { OrgsModule } from '../../orgs/orgs.module.js';
import { EmailTokensModule } from '../accounts/email-tokens.module.js';
import { AccountErasureService } from '../deletion/account-erasure.service.js';
import { PersonalRows } from '../deletion/personal-rows.js';
import { EmailChangesModule } from '../emails/email-changes.module.js';
import { AuthMailsService } from '../mails/auth-mails.service.js';
import { EmailChangeMailsService } from '../mails/email-change-mails.service.js';
import { FactorNoticesService } from '../mails/factor-notices.service.js';
import { IdentityNoticesService } from '../mails/identity-notices.service.js';
import { SecurityNoticesService } from '../mails/security-notices.service.js';
import { SsoNoticesService } from '../mails/sso-notices.service.js';
import { AccountDeletionProcessor } from './account-deletion.processor.js';
import { AccountDeletionsSweeper } from './account-deletions.sweeper.js';
import { AuthMailProcessor } from './auth-mail.processor.js';
import { PeoplePersistenceModule } from '../persistence/people-persistence.module.js';
import { EmailChangesSweeper } from './email-changes.sweeper.js';
import { ExpiredEmailTokensSweeper } from './expired-email-tokens.sweeper.js';

@Module({
  imports: [
    EmailChangesModule,
    EmailTokensModule,
    FactorsModule,
    IdentitiesModule,
    KeysModule,
    MailModule,
    OrgDirectoryModule,
    OrgsModule,
    SessionsModule,
    PeoplePersistenceModule,
  ],
  providers: [
    AccountDeletionProcessor,
    AccountDeletionsSweeper,
    AccountErasureService,
    PersonalRows,
    AuthMailProcessor,
    AuthMailsService,
    EmailChangeMailsService,
    EmailChangesSweeper,
    FactorNoticesService,
    IdentityNoticesService,
    SecurityNoticesService,
    SsoNoticesService,
    ExpiredEmailTokensSweeper,
  ],
})
export class PeopleJobsModule {}
