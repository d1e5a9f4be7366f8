import { Module } from '@nestjs/common';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { AuthMailsService } from '../mails/auth-mails.service.js';
import { SecurityNoticesService } from '../mails/security-notices.service.js';
import { EmailTokensModule } from '../people/email-tokens.module.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AuthMailProcessor } from './auth-mail.processor.js';
import { ExpiredCredentialsSweeper } from './expired-credentials.sweeper.js';

@Module({
  imports: [EmailTokensModule, MailModule, PersistenceModule, TokensModule],
  providers: [AuthMailProcessor, AuthMailsService, ExpiredCredentialsSweeper, SecurityNoticesService],
})
export class AuthJobsModule {}
