import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { IdentityProvider } from '../../identities/identity-provider.js';
import { RefusedAnswers } from '../answers/refused-answers.js';
import { SamlConnectionProvider } from '../answers/saml-connection-provider.js';
import { ServiceProviders } from '../connections/service-providers.js';
import type { SsoConnection } from '../connections/sso-connection.js';
import { SsoMetrics } from '../metrics/sso.metrics.js';
import { OidcClients } from '../oidc/oidc-clients.js';
import { OidcConnectionProvider } from '../oidc/oidc-connection-provider.js';

/** Creates what asks the provider of a connection. */
@Injectable()
export class ConnectionProviders {
  constructor(
    private readonly clients: OidcClients,
    private readonly sps: ServiceProviders,
    private readonly refused: RefusedAnswers,
    private readonly metrics: SsoMetrics,
    private readonly clock: Clock,
  ) {}

  of(connection: SsoConnection): IdentityProvider {
    if (connection.type === 'saml')
      return new SamlConnectionProvider(connection, this.sps.of(connection), this.clock.now());
    const { refused, metrics } = this;
    return new OidcConnectionProvider(connection, this.clients.of(connection), { refused, metrics });
  }
}
