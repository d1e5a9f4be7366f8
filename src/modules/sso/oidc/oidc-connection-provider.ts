import type { CheckedIdentity } from '../../identities/checked-identity.js';
import {
  type AuthorizationRequest,
  IdentityProvider,
  type ProviderAnswer,
  ProviderRefused,
  ProviderUnavailable,
} from '../../identities/identity-provider.js';
import type { OidcClient } from '../../identities/oidc-client.js';
import type { RefusedAnswers } from '../answers/refused-answers.js';
import type { OidcConnection } from '../connections/sso-connection.js';
import type { SsoMetrics } from '../metrics/sso.metrics.js';
import { oidcIdentityOf } from './oidc-identity.js';

interface Reports {
  readonly refused: RefusedAnswers;
  readonly metrics: SsoMetrics;
}

/** The issuer of a connection. */
export class OidcConnectionProvider extends IdentityProvider {
  readonly name = 'sso';
  readonly isConfigured = true;

  constructor(
    private readonly connection: OidcConnection,
    private readonly client: OidcClient,
    private readonly reports: Reports,
  ) {
    super();
  }

  authorizationUrl(request: AuthorizationRequest): Promise<string> {
    return this.client.authorizationUrl(request);
  }

  async identify(answer: ProviderAnswer): Promise<CheckedIdentity> {
    const { connection, reports } = this;
    try {
      const claims = await this.client.claimsOf(answer);
      const identity = oidcIdentityOf(claims, connection.mapping, connection.id);
      reports.metrics.response('oidc', 'accepted');
      return identity;
    } catch (error) {
      if (error instanceof ProviderRefused) await reports.refused.record(connection, error.message);
      if (error instanceof ProviderUnavailable) reports.metrics.response('oidc', 'unavailable');
      throw error;
    }
  }
}
