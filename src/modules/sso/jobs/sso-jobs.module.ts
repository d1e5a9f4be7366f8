import { Module } from '@nestjs/common';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { SsoPersistenceModule } from '../persistence/sso-persistence.module.js';
import { SsoModule } from '../sso.module.js';
import { OrgDomainChecksSweeper } from './org-domain-checks.sweeper.js';
import { OrgDomainNoticeProcessor } from './org-domain-notice.processor.js';
import { SsoOrgDeletedProcessor } from './sso-org-deleted.processor.js';

@Module({
  imports: [MailModule, OrgDirectoryModule, SsoModule, SsoPersistenceModule],
  providers: [OrgDomainChecksSweeper, OrgDomainNoticeProcessor, SsoOrgDeletedProcessor],
})
export class SsoJobsModule {}
