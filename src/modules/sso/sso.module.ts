import { Module } from '@nestjs/common';
import { AttemptsModule } from '../auth/attempts.module.js';
import { SessionsModule } from '../auth/sessions.module.js';
import { DnsModule } from '../dns/dns.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { SsoGate } from './access/sso-gate.js';
import { SamlAnswersService } from './answers/saml-answers.service.js';
import { ActiveConnections } from './connections/active-connections.js';
import { ConnectionAccess } from './connections/connection-access.js';
import { ConnectionChanges } from './connections/connection-changes.js';
import { ConnectionHistory } from './connections/connection-history.js';
import { ConnectionPeople } from './connections/connection-people.js';
import { ConnectionSetups } from './connections/connection-setups.js';
import { ConnectionStatesService } from './connections/connection-states.service.js';
import { ConnectionTestsService } from './connections/connection-tests.service.js';
import { ConnectionsOfOrg } from './connections/connections-of-org.js';
import { ConnectionsService } from './connections/connections.service.js';
import { SsoCoreModule } from './directory/sso-core.module.js';
import { OrgDomainChecks } from './domains/org-domain-checks.js';
import { OrgDomainHistory } from './domains/org-domain-history.js';
import { OrgDomainVerification } from './domains/org-domain-verification.js';
import { OrgDomainsService } from './domains/org-domains.service.js';
import { SsoPersistenceModule } from './persistence/sso-persistence.module.js';
import { ProvisionedPeople } from './provisioning/provisioned-people.js';
import { SsoAdmissionsService } from './sso-admissions.service.js';
import { SsoProvisioningService } from './sso-provisioning.service.js';

/** Providers that the jobs and the endpoints of this module use as well. */
const SHARED = [
  ConnectionHistory,
  ConnectionsOfOrg,
  ConnectionsService,
  ConnectionStatesService,
  ConnectionTestsService,
  OrgDomainChecks,
  OrgDomainsService,
  OrgDomainVerification,
  SamlAnswersService,
  SsoAdmissionsService,
  SsoProvisioningService,
];

/** Single sign-on: the domains that organizations have verified, and their connections to identity providers. */
@Module({
  imports: [
    AttemptsModule,
    DnsModule,
    IdentitiesModule,
    OrgDirectoryModule,
    OrgsModule,
    SessionsModule,
    SsoCoreModule,
    SsoPersistenceModule,
  ],
  providers: [
    ...SHARED,
    ActiveConnections,
    ConnectionAccess,
    ConnectionChanges,
    ConnectionPeople,
    ConnectionSetups,
    OrgDomainHistory,
    ProvisionedPeople,
    SsoGate,
  ],
  exports: [...SHARED, SsoCoreModule],
})
export class SsoModule {}
