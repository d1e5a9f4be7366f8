import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { NewRepository, Repository, Template } from './types.js';

/**
 * Git repositories of the service. They are cloned and pushed to with git, by `repo_url` and with an API key as the
 * password.
 */
export class Repositories {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Those of the organization of the call, the newest first. Needs `repositories:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<Repository> {
    return this.#transport.list('/api/v1/repositories', query, options);
  }

  /**
   * Creates a repository of the organization of the call: with the files of a template as its first commit, else empty.
   * Its `repo_url` can be linked to a project. With `provider: 'github'` it is made in an account that the organization
   * has connected. Needs `repositories:write`.
   *
   * @throws {ValidationError} `invalid_request`, for a template that there is not too: `details` lists those that there
   * are.
   * @throws {AuthorizationError} `plan_limit_reached`.
   * @throws {ConflictError} `already_exists`: the name is taken, in upper or lower case. At GitHub also
   *   `integration_not_configured`, `github_not_connected`.
   * @throws {ServiceError} `upstream_error`: GitHub refused, or does not answer.
   */
  create(repository: NewRepository, options?: RequestOptions): Promise<Repository> {
    return this.#transport.post('/api/v1/repositories', repository, options);
  }

  /** What a repository can begin with. Needs `repositories:read`. */
  templates(options?: RequestOptions): Promise<readonly Template[]> {
    return this.#transport.get('/api/v1/repositories/templates', options);
  }

  /** @throws {NotFoundError} `repository_not_found`. */
  get(repositoryId: string, options?: RequestOptions): Promise<Repository> {
    return this.#transport.get(pathOf(repositoryId), options);
  }

  /**
   * Deletes a repository for good, with all that is in it. Needs `repositories:write`.
   *
   * @throws {NotFoundError} `repository_not_found`.
   */
  delete(repositoryId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(pathOf(repositoryId), options);
  }
}

const pathOf = (repositoryId: string): string => `/api/v1/repositories/${encodeURIComponent(repositoryId)}`;
