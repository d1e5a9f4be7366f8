import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { CheckedIdentity } from '../checked-identity.js';
import { IdentitiesSettings } from '../identities.settings.js';
import { type AuthorizationRequest, IdentityProvider, type ProviderAnswer } from '../identity-provider.js';
import { OidcClient } from '../oidc-client.js';
import { emailOf, nameOf } from '../provider-fields.js';
import { placeOf, ProviderHttp } from '../provider-http.js';

/** Who has several accounts there chooses one each time. */
const PARAMETERS = { scope: 'openid email', prompt: 'select_account' };

/** Sign-in with Google, by OpenID Connect. */
@Injectable()
export class GoogleProvider extends IdentityProvider {
  readonly name = 'google';
  private known: OidcClient | undefined;

  constructor(
    private readonly settings: IdentitiesSettings,
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
  ) {
    super();
  }

  get isConfigured(): boolean {
    return this.settings.google !== undefined;
  }

  authorizationUrl(request: AuthorizationRequest): Promise<string> {
    return this.client.authorizationUrl(request);
  }

  async identify(answer: ProviderAnswer): Promise<CheckedIdentity> {
    const { sub, ...claims } = await this.client.claimsOf(answer);
    const email = emailOf(claims['email'], claims['email_verified']);
    return {
      provider: 'google',
      issuer: this.issuer,
      subject: sub,
      name: nameOf(email?.address, claims['name'], sub),
      username: nameOf(email?.address.split('@')[0], claims['name']),
      ...(email === undefined ? {} : { email }),
    };
  }

  private get issuer(): string {
    const { google } = this.settings;
    if (google === undefined) throw new Error('Sign-in with Google is not configured.');
    return google.issuer;
  }

  private get client(): OidcClient {
    const { issuer } = this;
    const { clientId, clientSecret } = this.settings.google!;
    const facts = { issuer, clientId, clientSecret, trusted: [placeOf(issuer)], parameters: PARAMETERS };
    return (this.known ??= new OidcClient(facts, this.http, this.clock));
  }
}
