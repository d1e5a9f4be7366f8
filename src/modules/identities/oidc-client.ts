import type { JWTPayload } from 'jose';
import type { Clock } from '../../platform/time/clock.js';
import { type AuthorizationRequest, type ProviderAnswer, ProviderRefused } from './identity-provider.js';
import { fieldsOf, nameOf } from './provider-fields.js';
import type { ProviderHttp } from './provider-http.js';
import { type IssuerMetadata, OidcIssuer } from './providers/oidc-issuer.js';

const MAX_SUBJECT = 255;

/** This service as an issuer of OpenID Connect knows it. */
export interface OidcClientFacts {
  /** The issuer as its metadata spell it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Hosts such as `sso.internal:443` that may be private and use plain HTTP. */
  readonly trusted: readonly string[];
  /** Parameters of the request beside those of the protocol, such as `scope`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Claims of a checked ID token, with a subject that can be stored. */
export type OidcClaims = JWTPayload & { readonly sub: string };

/** A client of OpenID Connect: code flow with PKCE, state and nonce. Metadata and keys are kept for an hour. */
export class OidcClient {
  private readonly issuer: OidcIssuer;

  constructor(
    private readonly facts: OidcClientFacts,
    private readonly http: ProviderHttp,
    clock: Clock,
  ) {
    this.issuer = new OidcIssuer(facts, http, clock);
  }

  /** Reads the metadata, to see whether people can be led to the issuer. @throws {ProviderUnavailable} */
  async requireMetadata(): Promise<void> {
    await this.issuer.metadata();
  }

  /** @throws {ProviderUnavailable} */
  async authorizationUrl({ redirectUri, state, nonce, challenge }: AuthorizationRequest): Promise<string> {
    const { authorizationEndpoint } = await this.issuer.metadata();
    const url = new URL(authorizationEndpoint);
    const parameters = {
      response_type: 'code',
      client_id: this.facts.clientId,
      redirect_uri: redirectUri,
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...this.facts.parameters,
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /**
   * Exchanges the code and returns the claims of the ID token.
   *
   * @throws {ProviderRefused} the code is refused, or the token is not to be believed.
   * @throws {ProviderUnavailable}
   */
  async claimsOf(answer: ProviderAnswer): Promise<OidcClaims> {
    const metadata = await this.issuer.metadata();
    this.requireIssuer(answer.issuer, metadata);
    const token = await this.exchange(answer, metadata);
    const { clientId } = this.facts;
    const claims = await this.issuer.verified(token, { clientId, nonce: answer.nonce });
    const { sub } = claims;
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT)
      throw new ProviderRefused('The ID token has no usable subject.');
    return { ...claims, sub };
  }

  /** An answer of another issuer must not end a sign-in that began at this one (RFC 9207). */
  private requireIssuer(named: string | undefined, { namesItself }: IssuerMetadata): void {
    if (named === undefined ? namesItself : named !== this.facts.issuer)
      throw new ProviderRefused('The answer comes from another issuer.');
  }

  private async exchange(
    { code, redirectUri, verifier }: ProviderAnswer,
    { tokenEndpoint }: IssuerMetadata,
  ): Promise<string> {
    const { clientId, clientSecret, trusted } = this.facts;
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
      trusted,
    });
    const { id_token: token, error } = fieldsOf(body);
    if (status !== 200 || typeof token !== 'string')
      throw new ProviderRefused(`The issuer gave no ID token (${status}): ${nameOf(error).slice(0, 100)}.`);
    return token;
  }
}
