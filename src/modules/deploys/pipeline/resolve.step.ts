import { Injectable } from '@nestjs/common';
import type { BuildSource } from '../../builds/build-request.js';
import { BuildsService } from '../../builds/builds.service.js';
import { RepositoriesService } from '../../repositories/repositories.service.js';
import { RepositoryNotFound } from '../../repositories/repositories.errors.js';
import { DeployFailed } from '../deploy-failure.js';
import { AT_WORK } from '../deploy-state.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { AttemptOver, type DeployRun } from './deploy-run.js';

/** Finds out where the source is, and which commit it is. */
@Injectable()
export class ResolveStep {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly builds: BuildsService,
    private readonly deploys: DeploysStore,
  ) {}

  /**
   * @throws {DeployFailed} `repository_not_found`
   * @throws {BuildFailed} `repository_unreachable`, `ref_not_found`
   * @throws {AttemptOver}
   */
  async run({ deploy, log, signal }: DeployRun): Promise<BuildSource> {
    log.note('resolve', `Looking for ${deploy.ref} in ${deploy.repoUrl}.`);
    const source: BuildSource = { repoUrl: deploy.repoUrl, localRepository: await this.locate(deploy.orgId, deploy.repoUrl), ref: deploy.ref };
    const { sha, message, author } = await this.builds.resolve(source, signal);
    const commit = { commitSha: sha, commitMessage: message, commitAuthor: author };
    if (!(await this.deploys.change(deploy.id, { states: AT_WORK, attempt: deploy.attempt }, commit))) throw new AttemptOver();
    Object.assign(deploy, commit);
    log.note('resolve', `The commit is ${sha}${message === '' ? '' : ` (${message})`}.`);
    return source;
  }

  private async locate(orgId: string, repoUrl: string): Promise<string | null> {
    try {
      return (await this.repositories.locate(orgId, repoUrl))?.path ?? null;
    } catch (error) {
      throw error instanceof RepositoryNotFound ? new DeployFailed('repository_not_found', 'The linked repository was deleted, or is not one of the organization.') : error;
    }
  }
}
