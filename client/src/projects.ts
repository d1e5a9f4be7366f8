import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type {
  Deploy,
  DeployQuery,
  DeployRequest,
  EnvTarget,
  EnvVariable,
  NewEnvVariable,
  NewProject,
  Project,
  ProjectChange,
} from './types.js';

/** Projects and their environment variables. `project` is an id, or a slug within the organization of the call. */
export class Projects {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the projects of the organization, newest first. Needs `projects:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<Project> {
    return this.#transport.list('/api/v1/projects', query, options);
  }

  /**
   * Creates a project in the organization. Needs `projects:write`.
   *
   * @throws {ValidationError} `invalid_request`, also for a `repo_url` that may not be linked.
   * @throws {AuthorizationError} `plan_limit_reached`.
   * @throws {ConflictError} `already_exists`: the slug is taken.
   */
  create(project: NewProject, options?: RequestOptions): Promise<Project> {
    return this.#transport.post('/api/v1/projects', project, options);
  }

  /** @throws {NotFoundError} `project_not_found`. */
  get(project: string, options?: RequestOptions): Promise<Project> {
    return this.#transport.get(pathOf(project), options);
  }

  /**
   * Updates the given fields. null clears a field: `{ repo_url: null }` unlinks the repository. Needs
   * `projects:write`.
   *
   * @throws {NotFoundError} `project_not_found`.
   * @throws {ConflictError} `already_exists`: the slug is taken.
   */
  update(project: string, change: ProjectChange, options?: RequestOptions): Promise<Project> {
    return this.#transport.patch(pathOf(project), change, options);
  }

  /**
   * Deletes a project and its environment variables permanently. Needs `projects:delete`.
   *
   * @throws {NotFoundError} `project_not_found`.
   */
  delete(project: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(pathOf(project), options);
  }

  /**
   * Deploys a branch of the linked repository. Resolves once the deploy is queued; wait for the end with
   * `deploys.waitUntilReady`. Needs `deploys:write`, and `deploys:production` for production.
   *
   * @throws {ConflictError} `project_has_no_repository`: link one with {@link update} first.
   * @throws {AuthorizationError} `feature_not_in_plan`: production deploys start with the Builder plan.
   */
  deploy(project: string, request: DeployRequest = {}, options?: RequestOptions): Promise<Deploy> {
    return this.#transport.post(`${pathOf(project)}/deploys`, request, options);
  }

  /** Lists the deploys of a project, newest first. Needs `deploys:read`. */
  deploys(project: string, query?: DeployQuery, options?: RequestOptions): Listing<Deploy> {
    return this.#transport.list(`${pathOf(project)}/deploys`, query, options);
  }

  /**
   * Rolls production back to an earlier deploy without a build: the given one, or else the last one that was live
   * before. Production stays there until the next promote. Needs `deploys:write` and `deploys:production`.
   *
   * @throws {ConflictError} `no_earlier_deploy`, `deploy_not_ready`.
   */
  rollback(project: string, deployId?: string, options?: RequestOptions): Promise<Deploy> {
    return this.#transport.post(
      `${pathOf(project)}/rollback`,
      deployId === undefined ? {} : { deploy_id: deployId },
      options,
    );
  }

  /** Lists the environment variables by name, without the values of secrets. Needs `projects:read`. */
  env(project: string, options?: RequestOptions): Promise<readonly EnvVariable[]> {
    return this.#transport.get(`${pathOf(project)}/env`, options);
  }

  /**
   * Sets all or none of the given variables in their targets, and resolves to the variables of the project. Others do
   * not change. Needs `projects:write`.
   *
   * @throws {ValidationError} `invalid_request`: a name is invalid or reserved, or a limit is exceeded.
   */
  setEnv(
    project: string,
    variables: readonly NewEnvVariable[],
    options?: RequestOptions,
  ): Promise<readonly EnvVariable[]> {
    return this.#transport.put(`${pathOf(project)}/env`, { variables }, options);
  }

  /** Removes a variable from one target or from all; a missing variable is not an error. Needs `projects:write`. */
  unsetEnv(project: string, name: string, target?: EnvTarget, options?: RequestOptions): Promise<void> {
    const query = target === undefined ? '' : `&target=${target}`;
    return this.#transport.delete(`${pathOf(project)}/env?name=${encodeURIComponent(name)}${query}`, options);
  }
}

const pathOf = (project: string): string => `/api/v1/projects/${encodeURIComponent(project)}`;
