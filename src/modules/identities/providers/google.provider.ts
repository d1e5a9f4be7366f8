import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { CheckedIdentity } from '../domain/checked-identity.js';
import { type GoogleSignInSettings, IdentitiesSettings } from '../identities.settings.js';
import {
  type AuthorizationRequest,
  IdentityProvider,
  type ProviderAnswer,
  ProviderRefused,
} from './identity-provider.js';
import { type IssuerMetadata, OidcIssuer } from './oidc-issuer.js';
import { emailOf, fieldsOf, nameOf } from './provider-fields.js';
import { ProviderHttp } from './provider-http.js';

const SCOPE = 'openid email';
const MAX_SUBJECT = 255;

/** Sign-in with Google, by OpenID Connect. */
@Injectable()
export class GoogleProvider extends IdentityProvider {
  readonly name = 'google';
  private known: OidcIssuer | undefined;

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

  async authorizationUrl({ redirectUri, state, nonce, challenge }: AuthorizationRequest): Promise<string> {
    const { authorizationEndpoint } = await this.issuer.metadata();
    const url = new URL(authorizationEndpoint);
    const parameters = {
      response_type: 'code',
      client_id: this.client.clientId,
      redirect_uri: redirectUri,
      scope: SCOPE,
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      // Who has several accounts there chooses one each time.
      prompt: 'select_account',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  async identify(answer: ProviderAnswer): Promise<CheckedIdentity> {
    const metadata = await this.issuer.metadata();
    this.requireIssuer(answer.issuer, metadata);
    const token = await this.exchange(answer, metadata);
    const { clientId } = this.client;
    const claims = await this.issuer.verified(token, { clientId, nonce: answer.nonce });
    const { sub } = claims;
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT)
      throw new ProviderRefused('The ID token has no usable subject.');
    const email = emailOf(claims['email'], claims['email_verified']);
    return {
      provider: 'google',
      issuer: this.issuer.url,
      subject: sub,
      name: nameOf(email?.address, claims['name'], sub),
      username: nameOf(email?.address.split('@')[0], claims['name']),
      ...(email === undefined ? {} : { email }),
    };
  }

  private get client(): GoogleSignInSettings {
    const { google } = this.settings;
    if (google === undefined) throw new Error('Sign-in with Google is not configured.');
    return google;
  }

  private get issuer(): OidcIssuer {
    this.known ??= new OidcIssuer(this.client.issuer, this.http, this.clock);
    return this.known;
  }

  /** An answer of another issuer must not end a sign-in that began at this one (RFC 9207). */
  private requireIssuer(named: string | undefined, { namesItself }: IssuerMetadata): void {
    if (named === undefined ? namesItself : named !== this.issuer.url)
      throw new ProviderRefused('The answer comes from another issuer.');
  }

  private async exchange(
    { code, redirectUri, verifier }: ProviderAnswer,
    { tokenEndpoint }: IssuerMetadata,
  ): Promise<string> {
    const { clientId, clientSecret, issuer } = this.client;
    const { status, body } = await this.http.call({
      url: tokenEndpoint,
      method: 'POST',
      body: {
        form: {
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          client_id: clientId,
          client_secret: clientSecret,
          code_verifier: verifier,
        },
      },
      trusted: [issuer],
    });
    const { id_token: token, error } = fieldsOf(body);
    if (status !== 200 || typeof token !== 'string')
      throw new ProviderRefused(`Google gave no ID token (${status}): ${nameOf(error).slice(0, 100)}.`);
    return token;
  }
}
