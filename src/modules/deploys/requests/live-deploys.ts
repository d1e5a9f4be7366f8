import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import { DeployNotFound, DeployNotReady, NoEarlierDeploy } from '../deploys.errors.js';
import { ProductionGate } from '../domain/production-gate.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { DeploysService } from './deploys.service.js';
import { ProjectHosts } from './project-hosts.js';

/**
 * Moves production without a build. Each move is one transaction, and it never touches the files of a deploy.
 */
@Injectable()
export class LiveDeploys {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly gate: ProductionGate,
    private readonly hosts: ProjectHosts,
    private readonly store: DeploysStore,
    private readonly deploys: DeploysService,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * Points the hosts of a deploy that has just become ready to it, in the running transaction, and returns their URLs.
   * The project is locked. Production does not move while it is pinned.
   *
   * @throws {DeployFailed} `feature_not_in_plan`
   */
  async deployed(deploy: Deploy, project: Project): Promise<readonly string[]> {
    await this.hosts.pointOwnHost(deploy);
    if (deploy.type === 'production') await this.gate.requirePlan(deploy.orgId);
    const branchUrl = await this.hosts.pointBranch(deploy, project);
    if (deploy.type === 'production')
      return (await this.hosts.isPinned(project.id))
        ? [branchUrl]
        : this.hosts.pointProduction(deploy, project, 'deployed', [branchUrl]);
    await this.hosts.recordLive(deploy, [branchUrl], 'deployed');
    return [branchUrl];
  }

  /**
   * Promotes a ready deploy to production, with the environment it was built with. From then on production follows
   * production deploys again.
   *
   * @throws {DeployNotFound} `deploy_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {DeployNotReady} `deploy_not_ready`
   */
  promote(call: Call, id: string): Promise<Deploy> {
    return this.database.transaction(async () => {
      const { projectId, orgId } = await this.deploys.get(call, id, 'deploys:write');
      await this.gate.requireCaller(call, orgId);
      const project = await this.lock(projectId);
      const deploy = await this.requireReady(id);
      await this.hosts.pointProduction(deploy, project, 'promoted');
      await this.hosts.unpin(project.id);
      await this.record(call, 'deploy.promoted', deploy);
      return this.store.get(id);
    });
  }

  /**
   * Rolls production back to the given deploy, or else to the last one that was live before the current one. Production
   * stays there until the next promote.
   *
   * @throws as {@link promote}, and {ProjectNotFound} `project_not_found` for the project.
   * @throws {NoEarlierDeploy} `no_earlier_deploy`
   */
  rollBack(call: Call, projectIdOrSlug: string, deployId: string | undefined): Promise<Deploy> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, projectIdOrSlug, 'deploys:write');
      await this.gate.requireCaller(call, project.orgId);
      const deploy =
        deployId === undefined ? await this.earlierOf(project) : await this.ofProject(call, project, deployId);
      await this.hosts.pointProduction(deploy, project, 'rolled_back');
      await this.hosts.pin(project.id, deploy.id);
      await this.record(call, 'deploy.rolled_back', deploy);
      return this.store.get(deploy.id);
    });
  }

  private async earlierOf(project: Project): Promise<Deploy> {
    const currentId = await this.hosts.productionDeployOf(project.id);
    const earlier = currentId === undefined ? null : await this.store.liveBefore(project.id, currentId);
    if (earlier === null) throw new NoEarlierDeploy();
    return earlier;
  }

  private async ofProject(call: Call, project: Project, deployId: string): Promise<Deploy> {
    const { projectId } = await this.deploys.get(call, deployId, 'deploys:write');
    if (projectId !== project.id) throw new DeployNotFound();
    return this.requireReady(deployId);
  }

  /** The lock keeps the sweeper from removing the files until the running transaction ends. */
  private async requireReady(id: string): Promise<Deploy> {
    const deploy = await this.store.lock(id);
    if (deploy.state !== 'ready' || deploy.filesRemovedAt !== null)
      throw new DeployNotReady(deploy.state, deploy.filesRemovedAt !== null);
    return deploy;
  }

  /** Deploys of a deleted project are deleted with it. */
  private async lock(projectId: string): Promise<Project> {
    const project = await this.projects.findAndLock(projectId);
    if (project === null) throw new DeployNotFound();
    return project;
  }

  private record(
    call: Call,
    action: 'deploy.promoted' | 'deploy.rolled_back',
    { id, orgId, projectId }: Deploy,
  ): Promise<void> {
    return this.orgs.record(
      { orgId, action, target: { type: 'deploy', id }, details: { project_id: projectId } },
      call,
    );
  }
}
