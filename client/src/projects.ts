import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type {
  AppMetrics,
  AppMetricsQuery,
  AccessLink,
  Cron,
  CronChange,
  CronRun,
  Deploy,
  DeployHook,
  DeployQuery,
  DeployRequest,
  EnvTarget,
  EnvVariable,
  IssuedDeployHook,
  NewCron,
  NewDeployHook,
  NewEnvVariable,
  NewProject,
  ListedProject,
  Project,
  ProjectChange,
  ProjectSettings,
  RuntimeLogLevel,
  RuntimeLogLine,
  Upload,
  UploadContent,
  UploadedFile,
  Protection,
  ProtectionChange,
} from './types.js';

export interface RuntimeLogOptions extends RequestOptions {
  /** Only lines of this deploy. By default, lines of all deploys of the project. */
  readonly deploy?: string | undefined;
  /** Only lines of these levels. */
  readonly levels?: readonly RuntimeLogLevel[] | undefined;
  /** Only the lines after this `seq`. By default, it begins with the last `limit` lines. */
  readonly after?: number | undefined;
  /** Number of lines without `follow`, or to begin with: 1 to 1,000, 500 by default. */
  readonly limit?: number | undefined;
  /** Set it to true to receive new lines as they are printed, until you stop. */
  readonly follow?: boolean | undefined;
}

/** Projects and their environment variables. `project` is an id, or a slug within the organization of the call. */
export interface Projects {
  /** Lists the projects of the organization, newest first, each with its last deploy. Needs `projects:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<ListedProject>;

  /**
   * Creates a project in the organization. Needs `projects:write`.
   *
   * @throws {ValidationError} `invalid_request`, also for a `repo_url` that may not be linked.
   * @throws {AuthorizationError} `plan_limit_reached`.
   * @throws {ConflictError} `already_exists`: the slug is taken.
   */
  create(project: NewProject, options?: RequestOptions): Promise<Project>;

  /** @throws {NotFoundError} `project_not_found`. */
  get(project: string, options?: RequestOptions): Promise<Project>;

  /**
   * Updates the given fields. null clears a field: `{ repo_url: null }` unlinks the repository. Needs
   * `projects:write`.
   *
   * @throws {NotFoundError} `project_not_found`.
   * @throws {ConflictError} `already_exists`: the slug is taken.
   */
  update(project: string, change: ProjectChange, options?: RequestOptions): Promise<Project>;

  /**
   * Returns the settings that builds and servers of the project use, each with its value and its source. Needs
   * `projects:read`.
   *
   * @throws {NotFoundError} `project_not_found`.
   */
  settings(project: string, options?: RequestOptions): Promise<ProjectSettings>;

  /**
   * Deletes a project and its environment variables permanently. Needs `projects:delete`.
   *
   * @throws {NotFoundError} `project_not_found`.
   */
  delete(project: string, options?: RequestOptions): Promise<void>;

  /**
   * Deploys a branch of the linked repository. Resolves once the deploy is queued; wait for the end with
   * `deploys.waitUntilReady`. Needs `deploys:write`, and `deploys:production` for production.
   *
   * @throws {ConflictError} `project_has_no_repository`: link one with {@link update} first.
   * @throws {AuthorizationError} `feature_not_in_plan`: production deploys start with the Builder plan.
   */
  deploy(project: string, request?: DeployRequest, options?: RequestOptions): Promise<Deploy>;

  /**
   * Announces the files of a directory that is deployed without a repository. The answer names the content that the
   * project has not stored yet: send it with {@link sendContents}, then call {@link deploy} with
   * `{ source: { upload_id } }`. Needs `deploys:write`.
   *
   * @throws {ValidationError} `invalid_request`, for example for a path that leads out of the directory.
   * @throws {ConflictError} `upload_storage_full`.
   */
  createUpload(project: string, files: readonly UploadedFile[], options?: RequestOptions): Promise<Upload>;

  /**
   * Sends content of an upload, and resolves to the hashes that are still missing. All of it is stored or none. Needs
   * `deploys:write`.
   *
   * @throws {ValidationError} `upload_content_invalid`: the content is not what was announced.
   * @throws {NotFoundError} `upload_not_found`.
   */
  sendContents(
    project: string,
    uploadId: string,
    contents: readonly UploadContent[],
    options?: RequestOptions,
  ): Promise<readonly string[]>;

  /** Lists the deploys of a project, newest first. Needs `deploys:read`. */
  deploys(project: string, query?: DeployQuery, options?: RequestOptions): Listing<Deploy>;

  /**
   * Rolls production back to an earlier deploy without a build: the given one, or else the last one that was live
   * before. Production stays there until the next promote. Needs `deploys:write` and `deploys:production`.
   *
   * @throws {ConflictError} `no_earlier_deploy`, `deploy_not_ready`.
   */
  rollback(project: string, deployId?: string, options?: RequestOptions): Promise<Deploy>;

  /**
   * Yields what the servers of the project print: the last lines and, with `follow`, new ones as they arrive. If the
   * connection breaks, it resumes after the last line. Needs `deploys:read`.
   *
   * @throws {NotFoundError} `project_not_found`, `deploy_not_found`.
   */
  runtimeLogs(project: string, query?: RuntimeLogOptions): AsyncGenerator<RuntimeLogLine, void, undefined>;

  /**
   * Returns the metrics of the project's apps: the last hour by minute, unless you ask for another period. Needs
   * `deploys:read`.
   *
   * @throws {NotFoundError} `project_not_found`, `deploy_not_found`.
   */
  metrics(project: string, query?: AppMetricsQuery, options?: RequestOptions): Promise<AppMetrics>;

  /** Lists the environment variables by name, without the values of secrets. Needs `projects:read`. */
  env(project: string, options?: RequestOptions): Promise<readonly EnvVariable[]>;

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
  ): Promise<readonly EnvVariable[]>;

  /** Removes a variable from one target or from all; a missing variable is not an error. Needs `projects:write`. */
  unsetEnv(project: string, name: string, target?: EnvTarget, options?: RequestOptions): Promise<void>;

  /** Lists the deploy hooks, oldest first, without their URLs. Needs `deploys:read`. */
  hooks(project: string, options?: RequestOptions): Promise<readonly DeployHook[]>;

  /**
   * Creates a secret URL that deploys a branch. The URL is returned only now. Needs `deploys:write`, and
   * `deploys:production` for the production branch.
   */
  createHook(project: string, hook: NewDeployHook, options?: RequestOptions): Promise<IssuedDeployHook>;

  /** @throws {NotFoundError} `deploy_hook_not_found`. */
  deleteHook(project: string, hookId: string, options?: RequestOptions): Promise<void>;

  /** Returns who may open the hosts of the project. Needs `projects:read`. */
  protection(project: string, options?: RequestOptions): Promise<Protection>;

  /** Changes who may open the hosts, and revokes all links and cookies. Needs `projects:write`. */
  protect(project: string, change: ProtectionChange, options?: RequestOptions): Promise<Protection>;

  /**
   * Creates a link with which a member opens a protected host; by default that of production. Needs `deploys:read`.
   *
   * @throws {ConflictError} `project_not_live`.
   */
  accessLink(project: string, link?: { readonly host?: string }, options?: RequestOptions): Promise<AccessLink>;

  /** Lists the crons, oldest first, with their next times. Needs `deploys:read`. */
  crons(project: string, options?: RequestOptions): Promise<readonly Cron[]>;

  /** @throws {AuthorizationError} `feature_not_in_plan`: crons start with the Builder plan. */
  createCron(project: string, cron: NewCron, options?: RequestOptions): Promise<Cron>;

  /** @throws {ConflictError} `cron_from_file`: only `enabled` can be changed. */
  updateCron(project: string, cronId: string, change: CronChange, options?: RequestOptions): Promise<Cron>;

  /** @throws {NotFoundError} `cron_not_found`. */
  deleteCron(project: string, cronId: string, options?: RequestOptions): Promise<void>;

  /**
   * Runs a cron now. Its request is sent within seconds: list {@link cronRuns} for the outcome. Needs `deploys:write`.
   *
   * @throws {AuthorizationError} `feature_not_in_plan`.
   */
  runCron(project: string, cronId: string, options?: RequestOptions): Promise<CronRun>;

  /** Lists the last 100 runs of a cron, newest first. Needs `deploys:read`. */
  cronRuns(project: string, cronId: string, options?: RequestOptions): Promise<readonly CronRun[]>;
}

export const projectsOf = (transport: Transport): Projects => ({
  ...methodsOf<Omit<Projects, 'sendContents' | 'runtimeLogs' | 'metrics' | 'unsetEnv'>>(transport, {
    list: 'list projects',
    create: 'post projects',
    get: 'get projects/:',
    update: 'patch projects/:',
    settings: 'get projects/:/settings',
    delete: 'delete projects/:',
    deploy: 'post projects/:/deploys',
    createUpload: 'post projects/:/uploads files',
    deploys: 'list projects/:/deploys',
    rollback: 'post projects/:/rollback deploy_id',
    env: 'get projects/:/env',
    setEnv: 'put projects/:/env variables',
    hooks: 'get projects/:/deploy-hooks',
    createHook: 'post projects/:/deploy-hooks',
    deleteHook: 'delete projects/:/deploy-hooks/:',
    protection: 'get projects/:/protection',
    protect: 'patch projects/:/protection',
    accessLink: 'post projects/:/access-links',
    crons: 'get projects/:/crons',
    createCron: 'post projects/:/crons',
    updateCron: 'patch projects/:/crons/:',
    deleteCron: 'delete projects/:/crons/:',
    runCron: 'post projects/:/crons/:/run -',
    cronRuns: 'get projects/:/crons/:/runs',
  }),
  async sendContents(
    project: string,
    uploadId: string,
    contents: readonly UploadContent[],
    options?: RequestOptions,
  ): Promise<readonly string[]> {
    const path = `${pathOf(project)}/uploads/${encodeURIComponent(uploadId)}/blobs`;
    const { missing } = await transport.put<{ missing: string[] }>(path, framed(contents), options);
    return missing;
  },
  async *runtimeLogs(
    project: string,
    { deploy, levels, after, limit, follow = false, ...options }: RuntimeLogOptions = {},
  ): AsyncGenerator<RuntimeLogLine, void, undefined> {
    const path = `${pathOf(project)}/runtime-logs`;
    const query = { follow, deploy, level: levels?.join(','), limit };
    yield* transport.follow<RuntimeLogLine>(path, after, { ...options, query });
  },
  async metrics(project: string, query: AppMetricsQuery = {}, options?: RequestOptions): Promise<AppMetrics> {
    const path = `${pathOf(project)}/metrics`;
    const { data } = await transport.send<AppMetrics, unknown>({ method: 'GET', path, query: { ...query } }, options);
    return data;
  },
  async unsetEnv(project: string, name: string, target?: EnvTarget, options?: RequestOptions): Promise<void> {
    await transport.send({ method: 'DELETE', path: `${pathOf(project)}/env`, query: { name, target } }, options);
  },
});

/** Puts each content after its hash and a line break. */
function framed(contents: readonly UploadContent[]): Uint8Array {
  const parts = contents.flatMap(({ sha256, content }) => [new TextEncoder().encode(`${sha256}\n`), content]);
  const body = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    body.set(part, end);
    end += part.length;
  }
  return body;
}

const pathOf = (project: string): string => `/api/v1/projects/${encodeURIComponent(project)}`;
