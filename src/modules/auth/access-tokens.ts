import type { StartedWork } from './domain/started-work.js';

/** What an access token of a client stands for: a key, and what the token may do of what the key may. */
export interface KeyGrant {
  readonly keyId: string;
  readonly scopes: readonly string[];
}

/** What an access token of a run stands for: the caller who started it, within the scopes of the run. */
export interface WorkGrant {
  readonly work: StartedWork;
  /** Budgets that calls with the token draw from, besides those of every call. */
  readonly budgetSubjects: readonly string[];
}

/** What a valid access token stands for. */
export type AccessGrant = KeyGrant | WorkGrant;

export const isWorkGrant = (grant: AccessGrant): grant is WorkGrant => 'work' in grant;

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

  /** The value of `WWW-Authenticate` with which a client asks the person for more scopes (RFC 6750). */
  abstract stepUpTo(scopes: readonly string[]): string;
}
