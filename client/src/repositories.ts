import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Branch, NewRepository, Repository, Template } from './types.js';

/**
 * Git repositories of the service. Clone them and push to them by `repo_url`, with an API key as the password.
 */
export interface Repositories {
  /** Lists the repositories of the organization, newest first. Needs `repositories:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<Repository>;

  /**
   * Creates a repository in the organization. It is empty unless you name a template for its first commit. Its
   * `repo_url` can be linked to a project. With `provider: 'github'`, it is created in an account that the organization
   * has connected. Needs `repositories:write`.
   *
   * @throws {ValidationError} `invalid_request`, also for an unknown template: `details` lists the known ones.
   * @throws {AuthorizationError} `plan_limit_reached`.
   * @throws {ConflictError} `already_exists`: the name is taken, regardless of case. For GitHub also
   *   `integration_not_configured`, `github_not_connected`.
   * @throws {ServiceError} `upstream_error`: GitHub refused the call or does not respond.
   */
  create(repository: NewRepository, options?: RequestOptions): Promise<Repository>;

  /** Lists the templates for new repositories. Needs `repositories:read`. */
  templates(options?: RequestOptions): Promise<readonly Template[]>;

  /** @throws {NotFoundError} `repository_not_found`. */
  get(repositoryId: string, options?: RequestOptions): Promise<Repository>;

  /**
   * Lists the branches of a repository by name, each with its commit.
   *
   * @throws {NotFoundError} `repository_not_found`.
   */
  branches(repositoryId: string, query?: ListQuery, options?: RequestOptions): Listing<Branch>;

  /**
   * Deletes a repository and its content permanently. Needs `repositories:write`.
   *
   * @throws {NotFoundError} `repository_not_found`.
   */
  delete(repositoryId: string, options?: RequestOptions): Promise<void>;
}

export const repositoriesOf = (transport: Transport): Repositories =>
  methodsOf<Repositories>(transport, {
    list: 'list repositories',
    create: 'post repositories',
    templates: 'get repositories/templates',
    get: 'get repositories/:',
    branches: 'list repositories/:/branches',
    delete: 'delete repositories/:',
  });
