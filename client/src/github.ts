import { methodsOf } from './methods.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Github, GithubConnection, GithubInstallation, GithubLink } from './types.js';

/** GitHub accounts that an organization has connected, for private repositories and deploys on every push. */
export interface GithubIntegration {
  /** Returns the connected accounts. Needs `repositories:read`. */
  get(options?: RequestOptions): Promise<Github>;

  /**
   * Begins to connect an account: a person opens one of the returned addresses in a browser. Needs `orgs:write`.
   *
   * @throws {ConflictError} `integration_not_configured`: the service has no GitHub App.
   */
  begin(options?: RequestOptions): Promise<GithubLink>;

  /**
   * Connects an account with what GitHub returned. Only the person who began it can. Needs `orgs:write`.
   *
   * @throws {ValidationError} `invalid_link_state`.
   * @throws {AuthorizationError} `github_access_denied`.
   * @throws {ConflictError} `already_exists`: another organization has connected the account.
   */
  finish(connection: GithubConnection, options?: RequestOptions): Promise<GithubInstallation>;

  /**
   * Disconnects an account by the `id` of its installation here. Needs `orgs:write`.
   *
   * @throws {NotFoundError} `github_installation_not_found`.
   */
  disconnect(installationId: string, options?: RequestOptions): Promise<void>;
}

export const githubOf = (transport: Transport): GithubIntegration =>
  methodsOf<GithubIntegration>(transport, {
    get: 'get integrations/github',
    begin: 'post integrations/github/links -',
    finish: 'post integrations/github/installations',
    disconnect: 'delete integrations/github/installations/:',
  });
