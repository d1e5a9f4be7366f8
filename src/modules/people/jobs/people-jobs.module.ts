import { Module } from '@nestjs/common';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { KeysModule } from '../../auth/keys.module.js';
import { SessionsModule } from '../../auth/sessions.module.js';
import { OrgsModule } from '../../orgs/orgs.module.js';
import { EmailTokensModule } from '../accounts/email-tokens.module.js';
import { AuthMailsService } from '../mails/auth-mails.service.js';
import { SecurityNoticesService } from '../mails/security-notices.service.js';
import { AuthMailProcessor } from './auth-mail.processor.js';
import { PeoplePersistenceModule } from '../persistence/people-persistence.module.js';
import { ExpiredEmailTokensSweeper } from './expired-email-tokens.sweeper.js';

@Module({
  imports: [EmailTokensModule, KeysModule, MailModule, OrgsModule, SessionsModule, PeoplePersistenceModule],
  providers: [AuthMailProcessor, AuthMailsService, SecurityNoticesService, ExpiredEmailTokensSweeper],
})
export class PeopleJobsModule {}
