import type { IdentityProvider } from './identity-provider.js';

/** How a person names a connection before signing in: by an address in a verified domain, or by an organization. */
export interface WantedConnection {
  readonly email?: string | undefined;
  /** Id or slug. */
  readonly org?: string | undefined;
}

/**
 * Gives sign-ins access to the SSO connections of organizations. `sso` implements it, because it stands above
 * `identities`.
 */
export abstract class ConnectionDirectory {
  /**
   * Returns the id of the connection that people sign in through.
   *
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`: there is none, or it is not active.
   */
  abstract find(wanted: WantedConnection): Promise<string>;

  /**
   * Returns what asks the provider of a connection.
   *
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`: it was deleted.
   */
  abstract providerOf(connectionId: string): Promise<IdentityProvider>;
}
