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

/** Reads and cancels deploys. */
@Injectable()
export class DeploysService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly deploys: DeploysStore,
    private readonly transitions: DeployTransitions,
    private readonly admission: DeployAdmissionService,
    private readonly jobs: DirectJobs,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * Lists the deploys of a project, newest first.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, projectIdOrSlug: string, filter: DeployFilter, page: PageRequest): Promise<Page<Deploy>> {
    const { id } = await this.projects.get(call, projectIdOrSlug, 'deploys:read');
    return this.deploys.list(id, filter, page);
  }

  /**
   * Returns a deploy to a caller who has the scope in its organization.
   *
   * @throws {DeployNotFound} `deploy_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string, scope: Scope): Promise<Deploy> {
    const deploy = await this.deploys.find(id, principal.lookupOrgIds);
    if (deploy === null) throw new DeployNotFound();
    principal.require(scope, deploy.orgId);
    return deploy;
  }

  /** Lists the events of a deploy, oldest first. @throws as {@link get}. */
  async events(call: Call, id: string): Promise<DeployEvent[]> {
    return this.deploys.events((await this.get(call, id, 'deploys:read')).id);
  }

  /**
   * Cancels an active deploy. Its worker cannot change the state any more from then on.
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
      await this.orgs.record(
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

  /** Cancels all active deploys of a deleted project. */
  async cancelAllOf(projectId: string): Promise<void> {
    for (const deploy of await this.deploys.activeOf(projectId)) {
      if (await this.transitions.canceled(deploy, { reason: 'project_deleted' }))
        await this.end(await this.deploys.get(deploy.id));
    }
  }

  /** Ends the job at once. If that message is lost, the worker notices when it next renews its lease. */
  private async end({ id, attempt }: Deploy): Promise<void> {
    await this.jobs.end(deployJob, jobIdOf({ deployId: id, attempt }));
    await this.admission.runSoon();
  }
}
