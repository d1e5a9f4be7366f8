import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import type { CheckedIdentity } from '../checked-identity.js';
import { type GithubSignInSettings, IdentitiesSettings } from '../identities.settings.js';
import {
  type AuthorizationRequest,
  IdentityProvider,
  type ProviderAnswer,
  ProviderRefused,
} from '../identity-provider.js';
import { emailOf, fieldsOf, nameOf } from '../provider-fields.js';
import { placeOf, ProviderHttp, type ProviderResponse } from '../provider-http.js';

/** Reads the addresses of the person, and nothing else. */
const SCOPE = 'user:email';
const API_VERSION = '2022-11-28';

/** Sign-in with GitHub, which speaks OAuth 2.0 and has no ID tokens: its API says whose the access token is. */
@Injectable()
export class GithubProvider extends IdentityProvider {
  readonly name = 'github';

  constructor(
    private readonly settings: IdentitiesSettings,
    private readonly http: ProviderHttp,
    private readonly log: Log,
  ) {
    super();
  }

  get isConfigured(): boolean {
    return this.settings.github !== undefined;
  }

  authorizationUrl({ redirectUri, state, challenge }: AuthorizationRequest): Promise<string> {
    const { url, clientId } = this.client;
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: SCOPE,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    return Promise.resolve(`${url}/login/oauth/authorize?${query.toString()}`);
  }

  async identify(answer: ProviderAnswer): Promise<CheckedIdentity> {
    const token = await this.exchange(answer);
    try {
      return await this.read(token);
    } finally {
      await this.forget(token);
    }
  }

  private get client(): GithubSignInSettings {
    const { github } = this.settings;
    if (github === undefined) throw new Error('Sign-in with GitHub is not configured.');
    return github;
  }

  private async exchange({ code, redirectUri, verifier }: ProviderAnswer): Promise<string> {
    const { url, clientId, clientSecret } = this.client;
    const { body } = await this.call(`${url}/login/oauth/access_token`, {
      method: 'POST',
      body: {
        form: {
          client_id: clientId,
          client_secret: clientSecret,
          code,
          redirect_uri: redirectUri,
          code_verifier: verifier,
        },
      },
    });
    // GitHub answers 200 without a token to a wrong code.
    const { access_token: token, error } = fieldsOf(body);
    if (typeof token !== 'string' || token === '')
      throw new ProviderRefused(`GitHub gave no token: ${nameOf(error).slice(0, 100)}.`);
    return token;
  }

  private async read(token: string): Promise<CheckedIdentity> {
    const { url, apiUrl } = this.client;
    const headers = { authorization: `Bearer ${token}`, 'x-github-api-version': API_VERSION };
    const user = await this.call(`${apiUrl}/user`, { headers });
    const { id, login } = fieldsOf(user.body);
    if (user.status !== 200 || !Number.isSafeInteger(id) || typeof login !== 'string')
      throw new ProviderRefused(`GitHub does not say who the person is (${user.status}).`);
    const emails = await this.call(`${apiUrl}/user/emails?per_page=100`, { headers });
    const email = primaryOf(emails);
    return {
      provider: 'github',
      issuer: url,
      // A login can be changed, and then be taken by another person.
      subject: String(id),
      name: nameOf(login),
      username: login,
      ...(email === undefined ? {} : { email }),
    };
  }

  /** The token has done its work. That it cannot be revoked does not keep the person out: it is stored nowhere. */
  private async forget(token: string): Promise<void> {
    const { apiUrl, clientId, clientSecret } = this.client;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    try {
      await this.call(`${apiUrl}/applications/${encodeURIComponent(clientId)}/token`, {
        method: 'DELETE',
        headers: { authorization: `Basic ${basic}` },
        body: { json: { access_token: token } },
      });
    } catch (error) {
      this.log.warn({ error }, 'The token of a person at GitHub could not be revoked.');
    }
  }

  private call(
    url: string,
    request: Omit<Parameters<ProviderHttp['call']>[0], 'url' | 'trusted'>,
  ): Promise<ProviderResponse> {
    return this.http.call({ ...request, url, trusted: [this.client.url, this.client.apiUrl].map(placeOf) });
  }
}

/** The person may not have allowed to read the addresses. */
function primaryOf({ status, body }: ProviderResponse): CheckedIdentity['email'] {
  if (status !== 200 || !Array.isArray(body)) return undefined;
  const primary = body.map(fieldsOf).find((each) => each['primary'] === true);
  return primary && emailOf(primary['email'], primary['verified']);
}
