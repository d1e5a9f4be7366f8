import { Injectable } from '@nestjs/common';
import type { BuildLimits, BuildSettings, BuildSource } from '../../builds/build-request.js';
import { BuildsService, type FetchedSource } from '../../builds/builds.service.js';
import type { Plan } from '../../plans/plan.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { RepositoryNotFound } from '../../repositories/repositories.errors.js';
import { RepositorySources } from '../../repositories/repository-sources.js';
import type { RepositorySource } from '../../repositories/source-host.js';
import { UploadNotFound } from '../../uploads/uploads.errors.js';
import { UploadSources } from '../../uploads/upload-sources.js';
import { DeployFailed } from '../domain/deploy-failure.js';
import { RUNNING_STATES } from '../domain/deploy-state.js';
import { jobIdOf } from '../jobs/deploy.job.js';
import type { DeployLog } from '../logs/deploy-log.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { SystemVariables } from '../requests/system-variables.js';
import { AttemptOver, type DeployRun } from './deploy-run.js';

const MEBIBYTE = 1_048_576;
/** The limit counts processes and threads. A bundler has a thread for each processor, and runs programs beside it. */
const TASKS = 512;
/** Bundlers use several processors at once. A build that keeps this many busy for all of its wall time hangs. */
const PROCESSORS = 4;

/** Locates the repository, fetches the source and stores its commit. */
@Injectable()
export class FetchStep {
  constructor(
    private readonly sources: RepositorySources,
    private readonly uploads: UploadSources,
    private readonly builds: BuildsService,
    private readonly deploys: DeploysStore,
    private readonly system: SystemVariables,
  ) {}

  /**
   * The caller has to close the source that it returns.
   *
   * @throws {DeployFailed} `repository_not_found`, `repository_unreachable`, `upload_not_found`
   * @throws {BuildFailed} `repository_unreachable`, `ref_not_found`, `isolation_unavailable`
   * @throws {AttemptOver}
   */
  async run(run: DeployRun): Promise<FetchedSource> {
    const { deploy, log, signal } = run;
    log.note(
      'resolve',
      deploy.uploadId === null
        ? `Looking for ${deploy.ref} in ${deploy.repoUrl}.`
        : `Looking for the files of ${deploy.uploadId}.`,
    );
    const source = await this.fetch(run, await this.sourceOf(deploy), signal);
    try {
      const { sha, message, author } = source.commit;
      const commit = { commitSha: sha, commitMessage: message, commitAuthor: author };
      if (!(await this.deploys.change(deploy.id, { states: RUNNING_STATES, attempt: deploy.attempt }, commit)))
        throw new AttemptOver();
      deploy.fetched(commit);
      log.note('resolve', `The commit is ${sha}${message === '' ? '' : ` (${message})`}.`);
      const variables = this.system.forBuild(deploy, run.project);
      return { commit: source.commit, build: () => source.build(variables), close: () => source.close() };
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  private fetch(
    { deploy, plan, variables, log, phases }: DeployRun,
    source: BuildSource,
    signal: AbortSignal,
  ): Promise<FetchedSource> {
    return this.builds.fetch(
      {
        id: jobIdOf({ deployId: deploy.id, attempt: deploy.attempt }),
        projectId: deploy.projectId,
        target: deploy.type,
        branch: deploy.branch,
        source,
        settings: buildSettingsOf(deploy, plan, log),
        limits: limitsOf(plan),
        environment: variables.values,
        services: variables.services,
      },
      {
        phase: (name) => {
          phases.begin(name);
        },
        line: (stream, text) => {
          log.line(phases.now, stream, text);
        },
      },
      signal,
    );
  }

  private async sourceOf({ orgId, projectId, repoUrl, uploadId, ref }: Deploy): Promise<BuildSource> {
    if (uploadId === null) return { repoUrl, ...(await this.locate(orgId, repoUrl)), ref };
    try {
      const { localRepository, commitSha } = await this.uploads.of(projectId, uploadId);
      return { repoUrl, localRepository, ref: commitSha };
    } catch (error) {
      throw error instanceof UploadNotFound
        ? new DeployFailed('upload_not_found', 'The upload was deleted after 7 days. Upload the directory again.')
        : error;
    }
  }

  private async locate(orgId: string, repoUrl: string): Promise<RepositorySource> {
    try {
      return await this.sources.of(orgId, repoUrl);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'upstream_error')
        throw new DeployFailed('repository_unreachable', error.message);
      throw error instanceof RepositoryNotFound
        ? new DeployFailed(
            'repository_not_found',
            'The linked repository was deleted or belongs to another organization. Link another repository.',
          )
        : error;
    }
  }
}

/** The plan may have changed since the project chose an open network, so it is checked for each build. */
function buildSettingsOf({ settings }: Deploy, plan: Plan, log: DeployLog): BuildSettings {
  const { buildNetwork, ...others } = settings;
  if (buildNetwork !== 'open') return others;
  if (plan.features.open_build_network) return { ...others, network: 'open' };
  log.note(
    'resolve',
    `build_network is open, which the ${plan.name} plan does not include. This build reaches package registries only.`,
  );
  return others;
}

const limitsOf = ({ deploys: { buildMs, memoryMib, diskMib } }: Plan): BuildLimits => ({
  wallMs: buildMs,
  cpuMs: PROCESSORS * buildMs,
  memoryBytes: memoryMib * MEBIBYTE,
  tasks: TASKS,
  diskBytes: diskMib * MEBIBYTE,
});
