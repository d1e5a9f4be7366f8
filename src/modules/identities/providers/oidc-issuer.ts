import { createLocalJWKSet, errors as joseErrors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../../platform/time/clock.js';
import { ProviderRefused, ProviderUnavailable } from '../identity-provider.js';
import { fieldsOf } from '../provider-fields.js';
import type { ProviderHttp } from '../provider-http.js';

/** Signatures with a private key alone. An HMAC would make the public key of the issuer a secret of everybody. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const METADATA_MS = 60 * 60_000;
const KEYS_MS = 60 * 60_000;
/** A token with an unknown key must not make this process ask for the keys all the time. */
const KEYS_AGAIN_MS = 30_000;
const CLOCK_SKEW_SECONDS = 60;
const MAX_TOKEN_AGE = '10m';
const MAX_TOKEN_LENGTH = 16_000;

export interface IssuerMetadata {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  /** True when answers must name the issuer (RFC 9207). */
  readonly namesItself: boolean;
}

interface Kept<T> {
  readonly value: T;
  readonly at: number;
}

/** An issuer of OpenID Connect: where it is asked, and what it has signed. Metadata and keys are kept for an hour. */
export class OidcIssuer {
  private metadataKept: Kept<IssuerMetadata> | undefined;
  private keysKept: Kept<JSONWebKeySet> | undefined;

  private readonly url: string;

  constructor(
    private readonly facts: { readonly issuer: string; readonly trusted: readonly string[] },
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
  ) {
    this.url = facts.issuer;
  }

  /** @throws {ProviderUnavailable} also when the document is that of another issuer. */
  async metadata(): Promise<IssuerMetadata> {
    if (this.metadataKept !== undefined && this.age(this.metadataKept) < METADATA_MS) return this.metadataKept.value;
    const fields = await this.document(`${this.url.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if (fields['issuer'] !== this.url) throw new ProviderUnavailable('The metadata are those of another issuer.');
    const value = {
      authorizationEndpoint: this.endpointOf(fields['authorization_endpoint']),
      tokenEndpoint: this.endpointOf(fields['token_endpoint']),
      jwksUri: this.endpointOf(fields['jwks_uri']),
      namesItself: fields['authorization_response_iss_parameter_supported'] === true,
    };
    this.metadataKept = { value, at: this.now };
    return value;
  }

  /**
   * Returns the claims of an ID token that this issuer has signed for the client, in the sign-in with this nonce.
   *
   * @throws {ProviderRefused} the token is forged, too old, or for another client or another sign-in.
   * @throws {ProviderUnavailable}
   */
  async verified(token: string, { clientId, nonce }: { clientId: string; nonce: string }): Promise<JWTPayload> {
    if (token.length > MAX_TOKEN_LENGTH) throw new ProviderRefused('The ID token is too long.');
    const claims = await this.signed(token, clientId);
    if (claims['nonce'] !== nonce) throw new ProviderRefused('The ID token belongs to another sign-in.');
    const { azp, aud } = claims;
    const isForAnother = azp === undefined ? Array.isArray(aud) && aud.length > 1 : azp !== clientId;
    if (isForAnother) throw new ProviderRefused('The ID token was issued to another client.');
    return claims;
  }

  private async signed(token: string, audience: string): Promise<JWTPayload> {
    try {
      return await this.checked(token, audience, await this.keys());
    } catch (error) {
      if (!(error instanceof joseErrors.JWKSNoMatchingKey)) throw refusalOf(error);
    }
    try {
      // The issuer may have a new key since the keys were read.
      return await this.checked(token, audience, await this.keys(KEYS_AGAIN_MS));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  private async checked(token: string, audience: string, keys: JSONWebKeySet): Promise<JWTPayload> {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      algorithms: ALGORITHMS,
      issuer: this.url,
      audience,
      requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
      maxTokenAge: MAX_TOKEN_AGE,
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: this.clock.now(),
    });
    return payload;
  }

  private async keys(maxAgeMs = KEYS_MS): Promise<JSONWebKeySet> {
    if (this.keysKept !== undefined && this.age(this.keysKept) < maxAgeMs) return this.keysKept.value;
    const { jwksUri } = await this.metadata();
    const { keys } = await this.document(jwksUri);
    if (!Array.isArray(keys)) throw new ProviderUnavailable('The issuer has no keys.');
    const value = { keys: keys as JSONWebKeySet['keys'] };
    this.keysKept = { value, at: this.now };
    return value;
  }

  private async document(url: string): Promise<Readonly<Record<string, unknown>>> {
    const { status, body } = await this.http.call({ url, trusted: this.facts.trusted });
    if (status !== 200) throw new ProviderUnavailable(`${new URL(url).host} answered ${status}.`);
    return fieldsOf(body);
  }

  /** What the operator has not set must be reached by TLS. */
  private endpointOf(value: unknown): string {
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || (url.protocol !== 'https:' && url.origin !== new URL(this.url).origin))
      throw new ProviderUnavailable('The metadata of the issuer name no usable endpoint.');
    return url.href;
  }

  private get now(): number {
    return this.clock.now().getTime();
  }

  private age({ at }: Kept<unknown>): number {
    return this.now - at;
  }
}

/** The library also throws other errors than its own, for keys that are none. Its codes name no part of the token. */
function refusalOf(error: unknown): Error {
  if (error instanceof ProviderUnavailable) return error;
  const reason = error instanceof joseErrors.JOSEError ? error.code : 'unreadable';
  return new ProviderRefused(`The ID token is refused: ${reason}.`, { cause: error });
}
