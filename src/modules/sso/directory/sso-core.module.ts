import { Module } from '@nestjs/common';
import { EgressModule } from '../../../platform/egress/egress.module.js';
import { AttemptsModule } from '../../auth/attempts.module.js';
import { ProviderHttp } from '../../identities/provider-http.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { RefusedAnswers } from '../answers/refused-answers.js';
import { ConnectionSecrets } from '../connections/connection-secrets.js';
import { ProviderReader } from '../connections/provider-reader.js';
import { ServiceProviders } from '../connections/service-providers.js';
import { VerifiedDomains } from '../domains/verified-domains.js';
import { SSO_METRICS, SsoMetrics } from '../metrics/sso.metrics.js';
import { OidcClients } from '../oidc/oidc-clients.js';
import { SsoPersistenceModule } from '../persistence/sso-persistence.module.js';
import { ConnectionProviders } from './connection-providers.js';

const SHARED = [
  ConnectionProviders,
  ConnectionSecrets,
  ProviderReader,
  RefusedAnswers,
  ServiceProviders,
  VerifiedDomains,
];

/** What sign-ins need of connections. It depends on nothing of `identities`, which asks for it. */
@Module({
  imports: [AttemptsModule, EgressModule, OrgDirectoryModule, SsoPersistenceModule],
  providers: [...SHARED, OidcClients, ProviderHttp, ...SSO_METRICS],
  exports: [...SHARED, SsoMetrics],
})
export class SsoCoreModule {}
