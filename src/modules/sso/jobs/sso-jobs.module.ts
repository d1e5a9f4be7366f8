import { Module } from '@nestjs/common';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { ReencryptionModule } from '../../../platform/secrets/reencryption.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { OwnerNoticesModule } from '../../orgs/owner-notices.module.js';
import { MetadataRefresh } from '../connections/metadata-refresh.js';
import { CERTIFICATE_METRICS } from '../metrics/certificate.metrics.js';
import { SsoPersistenceModule } from '../persistence/sso-persistence.module.js';
import { SsoModule } from '../sso.module.js';
import { EncryptedSsoSecrets } from './encrypted-sso-secrets.js';
import { OrgDomainChecksSweeper } from './org-domain-checks.sweeper.js';
import { OrgDomainNoticeProcessor } from './org-domain-notice.processor.js';
import { SsoCertificatesSweeper } from './sso-certificates.sweeper.js';
import { SsoMetadataSweeper } from './sso-metadata.sweeper.js';
import { SsoNoticeProcessor } from './sso-notice.processor.js';
import { SsoOrgDeletedProcessor } from './sso-org-deleted.processor.js';
import { SsoPlanChangedProcessor } from './sso-plan-changed.processor.js';

@Module({
  imports: [MailModule, OrgDirectoryModule, OwnerNoticesModule, ReencryptionModule, SsoModule, SsoPersistenceModule],
  providers: [
    EncryptedSsoSecrets,
    MetadataRefresh,
    OrgDomainChecksSweeper,
    OrgDomainNoticeProcessor,
    SsoCertificatesSweeper,
    SsoMetadataSweeper,
    SsoNoticeProcessor,
    SsoOrgDeletedProcessor,
    SsoPlanChangedProcessor,
    ...CERTIFICATE_METRICS,
  ],
})
export class SsoJobsModule {}
