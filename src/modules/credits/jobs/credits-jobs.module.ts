import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { CreditsModule } from '../credits.module.js';
import { CreditsSweeper } from './credits-sweeper.js';
import { SpendWarningProcessor } from './spend-warning.processor.js';
import { spendWarningJob } from './spend-warning.job.js';

@Module({ imports: [CreditsModule, MailModule], providers: [CreditsSweeper, SpendWarningProcessor] })
export class CreditsJobsModule implements OnApplicationBootstrap {
  constructor(
    private readonly workers: QueueWorkers,
    private readonly processor: SpendWarningProcessor,
  ) {}

  onApplicationBootstrap(): void {
    this.workers.start(spendWarningJob, this.processor);
  }
}
