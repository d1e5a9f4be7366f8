import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Branch, Commit, NewCommit, NewRepository, Repository, RepositoryFiles, Template } from './types.js';

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
   * Reads files and lists directories of a repository of the service at the head of a branch, the default branch if
   * absent. Needs `repositories:read`.
   *
   * @throws {NotFoundError} `repository_not_found`, `branch_not_found`.
   * @throws {RateLimitError} `concurrency_limit_exceeded`.
   */
  files(
    repositoryId: string,
    query?: { readonly path?: readonly string[]; readonly branch?: string },
    options?: RequestOptions,
  ): Promise<RepositoryFiles>;

  /**
   * Adds a commit to a branch, as a push does: linked projects are deployed. A branch that does not exist begins at the
   * expected head. Needs `repositories:write`.
   *
   * @throws {ValidationError} `invalid_request`.
   * @throws {ConflictError} `branch_moved`: `details.head` is the commit that the branch is at.
   * @throws {NotFoundError} `repository_not_found`.
   * @throws {RateLimitError} `concurrency_limit_exceeded`.
   * @throws {ServiceError} `repository_full`.
   */
  commit(repositoryId: string, commit: NewCommit, options?: RequestOptions): Promise<Commit>;

  /**
   * Deletes a repository and its content permanently. Needs `repositories:write`.
   *
   * @throws {NotFoundError} `repository_not_found`.
   */
  delete(repositoryId: string, options?: RequestOptions): Promise<void>;
}

export const repositoriesOf = (transport: Transport): Repositories => ({
  ...methodsOf<Omit<Repositories, 'files'>>(transport, {
    list: 'list repositories',
    create: 'post repositories',
    templates: 'get repositories/templates',
    get: 'get repositories/:',
    branches: 'list repositories/:/branches',
    commit: 'post repositories/:/commits',
    delete: 'delete repositories/:',
  }),
  async files(repositoryId, query, options) {
    const path = `/api/v1/repositories/${encodeURIComponent(repositoryId)}/files`;
    return (await transport.send<RepositoryFiles, unknown>({ method: 'GET', path, query }, options)).data;
  },
});
