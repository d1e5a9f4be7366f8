import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Alias, AliasesService } from '../../hosting/aliases.service.js';
import { branchLabel, deployLabel, productionLabel } from '../../hosting/labels.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { DeployNotFound, DeployNotReady, NoEarlierDeploy } from '../deploys.errors.js';
import { DeploysService } from './deploys.service.js';
import { DeployPinsStore } from '../persistence/deploy-pins.store.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { ProductionGate } from '../domain/production-gate.js';

/** What leads to the deploys of a project. */
export interface Hosts {
  readonly aliases: readonly (Alias & { readonly url: string })[];
  /** Production stays with it, because it was rolled back to. */
  readonly pinnedTo: string | null;
}

/**
 * Moves production, without a build. Each move is one transaction, and the files of a deploy are never touched by it.
 */
@Injectable()
export class LiveDeploys {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly gate: ProductionGate,
    private readonly aliases: AliasesService,
    private readonly pins: DeployPinsStore,
    private readonly deploys: DeploysStore,
    private readonly found: DeploysService,
    private readonly transitions: DeployTransitions,
    private readonly owners: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  async hostsOf(projectId: string): Promise<Hosts> {
    const [aliases, pinnedTo] = [await this.aliases.of(projectId), await this.pins.of(projectId)];
    return { aliases: aliases.map((alias) => ({ ...alias, url: this.urlOf(alias.label) })), pinnedTo };
  }

  urlOf(label: string): string {
    return this.aliases.urlOf(label);
  }

  /**
   * Points the hosts of a deploy that has just become ready to it, in the running transaction; answers their URLs. The
   * project is locked. Production stays where it is while it is pinned.
   *
   * @throws {DeployFailed} `feature_not_in_plan`
   */
  async deployed(deploy: Deploy, project: Project): Promise<readonly string[]> {
    await this.aliases.point(deployLabel(deploy.id), { ...targetOf(deploy), kind: 'deploy' });
    if (deploy.type === 'production') await this.gate.requirePlan(deploy.orgId);
    const ofBranch = await this.toBranch(deploy, project);
    if (deploy.type === 'production')
      return (await this.pins.of(project.id)) === null
        ? this.toProduction(deploy, project, 'deployed', [ofBranch])
        : [ofBranch];
    await this.transitions.live(deploy, [ofBranch], 'deployed');
    return [ofBranch];
  }

  /**
   * Makes a deploy what production shows, with the environment it was built with. Production follows production deploys
   * again from then on.
   *
   * @throws {DeployNotFound} `deploy_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {DeployNotReady} `deploy_not_ready`
   */
  promote(call: Call, id: string): Promise<Deploy> {
    return this.database.transaction(async () => {
      const { projectId, orgId } = await this.found.get(call, id, 'deploys:write');
      await this.gate.requireCaller(call, orgId);
      const project = await this.lock(projectId);
      const deploy = await this.requireReady(id);
      await this.toProduction(deploy, project, 'promoted');
      await this.pins.unpin(project.id);
      await this.record(call, 'deploy.promoted', deploy);
      return this.deploys.get(id);
    });
  }

  /**
   * Makes an earlier deploy what production shows: the one named, else the last that was live before. Production stays
   * there until the next promote.
   *
   * @throws as {@link promote}, and of the project {ProjectNotFound} `project_not_found`.
   * @throws {NoEarlierDeploy} `no_earlier_deploy`
   */
  rollBack(call: Call, named: string, deployId: string | undefined): Promise<Deploy> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, named, 'deploys:write');
      await this.gate.requireCaller(call, project.orgId);
      const deploy =
        deployId === undefined ? await this.earlierOf(project) : await this.ofProject(call, project, deployId);
      await this.toProduction(deploy, project, 'rolled_back');
      await this.pins.pin(project.id, deploy.id, this.clock.now());
      await this.record(call, 'deploy.rolled_back', deploy);
      return this.deploys.get(deploy.id);
    });
  }

  /** Whoever looks at a branch sees its last deploy, be that a preview or for production. */
  private async toBranch(deploy: Deploy, project: Project): Promise<string> {
    const label = branchLabel(project, deploy.branch);
    await this.aliases.point(label, { ...targetOf(deploy), kind: 'branch' });
    await this.releaseOthers(project, label, 'branch', deploy);
    return this.urlOf(label);
  }

  private async toProduction(
    deploy: Deploy,
    project: Project,
    reason: 'deployed' | 'promoted' | 'rolled_back',
    beside: readonly string[] = [],
  ): Promise<readonly string[]> {
    const label = productionLabel(project);
    await this.aliases.point(label, { ...targetOf(deploy), kind: 'production' });
    await this.releaseOthers(project, label, 'production');
    await this.deploys.wentLive(deploy.id, this.clock.now());
    const hosts = [this.urlOf(label), ...beside];
    await this.transitions.live(deploy, hosts, reason);
    return hosts;
  }

  /** Labels of the time when the project had another slug: their hosts would show what is no more. */
  private async releaseOthers(
    project: Project,
    label: string,
    kind: 'branch' | 'production',
    deploy?: Deploy,
  ): Promise<void> {
    for (const alias of await this.aliases.of(project.id)) {
      if (alias.kind !== kind || alias.label === label) continue;
      if (deploy !== undefined && (await this.deploys.get(alias.deployId)).branch !== deploy.branch) continue;
      await this.aliases.release(alias.label);
    }
  }

  private async earlierOf(project: Project): Promise<Deploy> {
    const current = (await this.aliases.of(project.id)).find(({ kind }) => kind === 'production');
    const earlier = current === undefined ? null : await this.deploys.liveBefore(project.id, current.deployId);
    if (earlier === null) throw new NoEarlierDeploy();
    return earlier;
  }

  private async ofProject(call: Call, project: Project, deployId: string): Promise<Deploy> {
    const { projectId } = await this.found.get(call, deployId, 'deploys:write');
    if (projectId !== project.id) throw new DeployNotFound();
    return this.requireReady(deployId);
  }

  /** Nobody removes its files until the running transaction ends. */
  private async requireReady(id: string): Promise<Deploy> {
    const deploy = await this.deploys.lock(id);
    if (deploy.state !== 'ready' || deploy.filesRemovedAt !== null)
      throw new DeployNotReady(deploy.state, deploy.filesRemovedAt !== null);
    return deploy;
  }

  private async lock(projectId: string): Promise<Project> {
    const project = await this.projects.findAndLock(projectId);
    // Its deploys go with it.
    if (project === null) throw new DeployNotFound();
    return project;
  }

  private record(
    call: Call,
    action: 'deploy.promoted' | 'deploy.rolled_back',
    { id, orgId, projectId }: Deploy,
  ): Promise<void> {
    return this.owners.record(
      { orgId, action, target: { type: 'deploy', id }, details: { project_id: projectId } },
      call,
    );
  }
}

const targetOf = ({ id, projectId, orgId }: Deploy): { deployId: string; projectId: string; orgId: string } => ({
  deployId: id,
  projectId,
  orgId,
});
