import { Module } from '@nestjs/common';
import { AttemptsModule } from '../auth/attempts.module.js';
import { DnsModule } from '../dns/dns.module.js';
import { HostingModule } from '../hosting/hosting.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { DomainChecks } from './claims/domain-checks.js';
import { DomainRegistry } from './claims/domain-registry.js';
import { DomainServing } from './claims/domain-serving.js';
import { DomainVerification } from './claims/domain-verification.js';
import { DomainsService } from './claims/domains.service.js';
import { DOMAIN_METRICS } from './metrics/domains.metrics.js';
import { DomainNames } from './names/domain-names.js';
import { DomainsPersistenceModule } from './persistence/domains-persistence.module.js';
import { DomainObserver } from './records/domain-observer.js';
import { DomainRecords } from './records/domain-records.js';
import { TlsPermissions } from './tls/tls-permissions.js';

/** Providers that the jobs and the endpoints of this module use as well. */
const SHARED = [DomainChecks, DomainRecords, DomainsService, DomainVerification, TlsPermissions];

/** The domains that customers bring: claims to names, their proof, and who may be served under them. */
@Module({
  imports: [AttemptsModule, DnsModule, DomainsPersistenceModule, HostingModule, OrgDirectoryModule, ProjectsModule],
  providers: [...SHARED, ...DOMAIN_METRICS, DomainNames, DomainObserver, DomainRegistry, DomainServing],
  exports: SHARED,
})
export class DomainsModule {}
