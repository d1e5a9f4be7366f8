import { type AuthorizationRequest, IdentityProvider, ProviderRefused } from '../../identities/identity-provider.js';
import type { CheckedIdentity } from '../../identities/checked-identity.js';
import type { SamlConnection } from '../connections/sso-connection.js';
import { authnRequestUrl } from '../saml/saml-request.js';
import type { ServiceProvider } from '../saml/service-provider.js';

/** The provider of a connection of SAML. It answers by POST, which {@link SamlAnswersService} takes. */
export class SamlConnectionProvider extends IdentityProvider {
  readonly name = 'sso';
  readonly isConfigured = true;

  constructor(
    private readonly connection: SamlConnection,
    private readonly sp: ServiceProvider,
    private readonly now: Date,
  ) {
    super();
  }

  /** The state is the ID of the request, which the assertion has to name. */
  authorizationUrl({ state }: AuthorizationRequest): Promise<string> {
    const { sp, now } = this;
    return Promise.resolve(authnRequestUrl({ sp, idp: this.connection.saml, requestId: state, now }));
  }

  identify(): Promise<CheckedIdentity> {
    return Promise.reject(new ProviderRefused('A provider of SAML has answered by redirect.'));
  }
}
