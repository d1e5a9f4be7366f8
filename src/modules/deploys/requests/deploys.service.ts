import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { DirectJobs } from '../../../platform/queues/direct-jobs.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { Scope } from '../../auth/scopes.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DeployAdmissionService } from '../admission/deploy-admission.service.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { DeployAlreadyOver, DeployNotFound } from '../deploys.errors.js';
import { deployJob, jobIdOf } from '../jobs/deploy.job.js';
import type { DeployEvent } from '../persistence/deploy-event.entity.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { type DeployFilter, DeploysStore } from '../persistence/deploys.store.js';

/** Deploys that there are: to be looked at, and cancelled. */
@Injectable()
export class DeploysService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly deploys: DeploysStore,
    private readonly transitions: DeployTransitions,
    private readonly admission: DeployAdmissionService,
    private readonly jobs: DirectJobs,
    private readonly owners: OrgDirectory,
  ) {}

  /**
   * Those of a project, the newest first.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, named: string, filter: DeployFilter, page: PageRequest): Promise<Page<Deploy>> {
    const { id } = await this.projects.get(call, named, 'deploys:read');
    return this.deploys.list(id, filter, page);
  }

  /**
   * For somebody who has this right in the organization of the deploy.
   *
   * @throws {DeployNotFound} `deploy_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string, scope: Scope): Promise<Deploy> {
    const deploy = await this.deploys.find(id, principal.orgIds);
    if (deploy === null) throw new DeployNotFound();
    principal.require(scope, deploy.orgId);
    return deploy;
  }

  /** What happened to it, in order. @throws as {@link get}. */
  async events(call: Call, id: string): Promise<DeployEvent[]> {
    return this.deploys.events((await this.get(call, id, 'deploys:read')).id);
  }

  /**
   * Ends a deploy that waits or is at work. From then on it is cancelled, whatever its worker may still say.
   *
   * @throws as {@link get}.
   * @throws {DeployAlreadyOver} `deploy_already_over`
   */
  cancel(call: Call, id: string): Promise<Deploy> {
    return this.database.transaction(async () => {
      const deploy = await this.get(call, id, 'deploys:write');
      const canceled = await this.transitions.canceled(deploy, { reason: 'asked', userId: call.principal.user.id });
      const now = await this.deploys.get(id);
      if (!canceled) throw new DeployAlreadyOver(now.state);
      await this.owners.record(
        {
          orgId: now.orgId,
          action: 'deploy.canceled',
          target: { type: 'deploy', id },
          details: { project_id: now.projectId },
        },
        call,
      );
      await this.database.afterCommit(() => this.end(now));
      return now;
    });
  }

  /** Ends whatever of the project goes on, because the project is no more. */
  async cancelAllOf(projectId: string): Promise<void> {
    for (const deploy of await this.deploys.goingOnOf(projectId)) {
      if (await this.transitions.canceled(deploy, { reason: 'project_deleted' }))
        await this.end(await this.deploys.get(deploy.id));
    }
  }

  /** The job is told at once; where that is lost, its worker finds out when it next renews the lease. */
  private async end({ id, attempt }: Deploy): Promise<void> {
    await this.jobs.end(deployJob, jobIdOf({ deployId: id, attempt }));
    await this.admission.runSoon();
  }
}
