import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { RepositoryPushedPayload } from '../../repositories/repository-pushed.job.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { repositoryKeyOf } from '../../projects/repository-key.js';
import { DeployRequests } from '../requests/deploy-requests.js';
import { ProductionGate } from '../domain/production-gate.js';
import { repositoryPushedSubscription } from './deploys.job.js';

/**
 * Deploys a push in each project of the organization that is linked to the repository. The production branch goes to
 * production if the plan includes it. Everything else becomes a preview.
 */
@Injectable()
@Handles(repositoryPushedSubscription)
export class RepositoryPushedProcessor implements JobHandler<RepositoryPushedPayload> {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly gate: ProductionGate,
    private readonly requests: DeployRequests,
  ) {}

  /** If the job runs twice, the second deploy finds nothing to build and reuses the files of the first. */
  async handle({ orgId, repoUrl, branch, commitSha, pusherId }: RepositoryPushedPayload): Promise<void> {
    // The branch was deleted. Its last deploy stays for as long as previews are kept.
    if (commitSha === null) return;
    for (const { id } of await this.projects.linkedTo(orgId, repoUrl))
      await this.deploy(id, { repoUrl, branch, commitSha, pusherId });
  }

  private async deploy(
    projectId: string,
    push: { repoUrl: string; branch: string; commitSha: string; pusherId: string | null },
  ): Promise<void> {
    await this.database.transaction(async () => {
      const project = await this.projects.findAndLock(projectId);
      // The project may have been deleted, or linked to another repository, since it was listed.
      if (
        project === null ||
        project.repoUrl === null ||
        repositoryKeyOf(project.repoUrl) !== repositoryKeyOf(push.repoUrl)
      )
        return;
      await this.requests.requestByPush(project, push, await this.gate.typeOf(project, push.branch));
    });
  }
}
