import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { AuthMailsService } from '../mails/auth-mails.service.js';
import { SecurityNoticesService } from '../mails/security-notices.service.js';
import { EmailTokensModule } from '../people/email-tokens.module.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AuthMailProcessor } from './auth-mail.processor.js';
import { authMailJob } from './auth-mail.job.js';
import { ExpiredCredentialsSweeper } from './expired-credentials.sweeper.js';

@Module({
  imports: [EmailTokensModule, MailModule, PersistenceModule, TokensModule],
  providers: [AuthMailProcessor, AuthMailsService, ExpiredCredentialsSweeper, SecurityNoticesService],
})
export class AuthJobsModule implements OnApplicationBootstrap {
  constructor(
    private readonly workers: QueueWorkers,
    private readonly processor: AuthMailProcessor,
  ) {}

  onApplicationBootstrap(): void {
    this.workers.start(authMailJob, this.processor);
  }
}
