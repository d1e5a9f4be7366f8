import { Module } from '@nestjs/common';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { CreditsPersistenceModule } from '../persistence/credits-persistence.module.js';
import { CreditsModule } from '../credits.module.js';
import { CreditsSweeper } from './credits-sweeper.js';
import { SpendWarningProcessor } from './spend-warning.processor.js';

@Module({
  imports: [CreditsModule, CreditsPersistenceModule, MailModule, OrgDirectoryModule],
  providers: [CreditsSweeper, SpendWarningProcessor],
})
export class CreditsJobsModule {}
