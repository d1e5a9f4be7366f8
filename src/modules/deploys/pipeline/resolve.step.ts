import { Injectable } from '@nestjs/common';
import type { BuildSource } from '../../builds/build-request.js';
import { BuildsService } from '../../builds/builds.service.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { RepositoryNotFound } from '../../repositories/repositories.errors.js';
import { RepositorySources } from '../../repositories/repository-sources.service.js';
import type { RepositorySource } from '../../repositories/source-host.js';
import { DeployFailed } from '../deploy-failure.js';
import { AT_WORK } from '../deploy-state.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { AttemptOver, type DeployRun } from './deploy-run.js';

/** Finds out where the source is, and which commit it is. */
@Injectable()
export class ResolveStep {
  constructor(
    private readonly sources: RepositorySources,
    private readonly builds: BuildsService,
    private readonly deploys: DeploysStore,
  ) {}

  /**
   * @throws {DeployFailed} `repository_not_found`, `repository_unreachable`
   * @throws {BuildFailed} `repository_unreachable`, `ref_not_found`
   * @throws {AttemptOver}
   */
  async run({ deploy, log, signal }: DeployRun): Promise<BuildSource> {
    log.note('resolve', `Looking for ${deploy.ref} in ${deploy.repoUrl}.`);
    const source: BuildSource = { repoUrl: deploy.repoUrl, ...(await this.locate(deploy.orgId, deploy.repoUrl)), ref: deploy.ref };
    const { sha, message, author } = await this.builds.resolve(source, signal);
    const commit = { commitSha: sha, commitMessage: message, commitAuthor: author };
    if (!(await this.deploys.change(deploy.id, { states: AT_WORK, attempt: deploy.attempt }, commit))) throw new AttemptOver();
    Object.assign(deploy, commit);
    log.note('resolve', `The commit is ${sha}${message === '' ? '' : ` (${message})`}.`);
    return source;
  }

  private async locate(orgId: string, repoUrl: string): Promise<RepositorySource> {
    try {
      return await this.sources.of(orgId, repoUrl);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'upstream_error') throw new DeployFailed('repository_unreachable', error.message);
      throw error instanceof RepositoryNotFound ? new DeployFailed('repository_not_found', 'The linked repository was deleted, or is not one of the organization.') : error;
    }
  }
}
