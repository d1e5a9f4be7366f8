import { Module } from '@nestjs/common';
import { AttemptsModule } from '../auth/attempts.module.js';
import { DnsModule } from '../dns/dns.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { SsoGate } from './access/sso-gate.js';
import { OrgDomainChecks } from './domains/org-domain-checks.js';
import { OrgDomainHistory } from './domains/org-domain-history.js';
import { OrgDomainVerification } from './domains/org-domain-verification.js';
import { OrgDomainsService } from './domains/org-domains.service.js';
import { VerifiedDomains } from './domains/verified-domains.js';
import { SsoPersistenceModule } from './persistence/sso-persistence.module.js';

/** Providers that the jobs and the endpoints of this module use as well. */
const SHARED = [OrgDomainChecks, OrgDomainsService, OrgDomainVerification, VerifiedDomains];

/** Single sign-on: the domains that organizations have verified. */
@Module({
  imports: [AttemptsModule, DnsModule, OrgDirectoryModule, SsoPersistenceModule],
  providers: [...SHARED, OrgDomainHistory, SsoGate],
  exports: SHARED,
})
export class SsoModule {}
