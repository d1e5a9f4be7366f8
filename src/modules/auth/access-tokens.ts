/** What a valid access token stands for: a key, and what the token may do of what the key may. */
export interface AccessGrant {
  readonly keyId: string;
  readonly scopes: readonly string[];
}

/**
 * Reads access tokens of OAuth. `oauth` implements it, because it stands above `auth`. A process that serves no OAuth
 * has none, and refuses all of them.
 */
export abstract class AccessTokens {
  /**
   * @throws {AccessTokenInvalid} `invalid_access_token`
   * @throws {AccessTokenExpired} `access_token_expired`
   */
  abstract read(token: string): Promise<AccessGrant>;

  /** The value of `WWW-Authenticate` that leads a client to the authorization server (RFC 9728). */
  abstract challengeFor(refusalCode: string): string;
}
