import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { ProjectCrons } from '../../crons/project-crons.js';
import { type Alias, AliasesService } from '../../hosting/aliases.service.js';
import { branchLabel, deployLabel, productionLabel } from '../../hosting/labels.js';
import type { Project } from '../../projects/projects.service.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { DeployPinsStore } from '../persistence/deploy-pins.store.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';

/** The hosts that lead to the deploys of a project. */
export interface Hosts {
  readonly aliases: readonly (Alias & { readonly url: string })[];
  /** The deploy that production stays with since a rollback, or null. */
  readonly pinnedTo: string | null;
}

export type LiveReason = 'deployed' | 'promoted' | 'rolled_back';

/** Decides which deploy each host of a project leads to. All writes join the running transaction. */
@Injectable()
export class ProjectHosts {
  constructor(
    private readonly aliases: AliasesService,
    private readonly pins: DeployPinsStore,
    private readonly deploys: DeploysStore,
    private readonly transitions: DeployTransitions,
    private readonly crons: ProjectCrons,
    private readonly clock: Clock,
  ) {}

  async of(projectId: string): Promise<Hosts> {
    const [aliases, pinnedTo] = [await this.aliases.of(projectId), await this.pins.of(projectId)];
    return { aliases: aliases.map((alias) => ({ ...alias, url: this.urlOf(alias.label) })), pinnedTo };
  }

  urlOf(label: string): string {
    return this.aliases.urlOf(label);
  }

  async pointOwnHost(deploy: Deploy): Promise<void> {
    await this.aliases.point(deployLabel(deploy.id), { ...targetOf(deploy), kind: 'deploy' });
  }

  /** Points the host of the branch to its last deploy, a preview or a production deploy. Returns the URL. */
  async pointBranch(deploy: Deploy, project: Project): Promise<string> {
    const label = branchLabel(project, deploy.branch);
    await this.aliases.point(label, { ...targetOf(deploy), kind: 'branch' });
    await this.releaseOthers(project, label, 'branch', deploy);
    return this.urlOf(label);
  }

  /** Points production to the deploy and records it, together with the other hosts in `beside`. Returns all URLs. */
  async pointProduction(
    deploy: Deploy,
    project: Project,
    reason: LiveReason,
    beside: readonly string[] = [],
  ): Promise<readonly string[]> {
    const label = productionLabel(project);
    await this.aliases.point(label, { ...targetOf(deploy), kind: 'production' });
    await this.releaseOthers(project, label, 'production');
    await this.deploys.wentLive(deploy.id, this.clock.now());
    await this.crons.follow(project, (await this.deploys.get(deploy.id)).output?.crons ?? []);
    const hosts = [this.urlOf(label), ...beside];
    await this.transitions.live(deploy, hosts, reason);
    return hosts;
  }

  /** Records that these hosts, none of them production, lead to the deploy. */
  async recordLive(deploy: Deploy, hosts: readonly string[], reason: LiveReason): Promise<void> {
    await this.transitions.live(deploy, hosts, reason);
  }

  async pin(projectId: string, deployId: string): Promise<void> {
    await this.pins.pin(projectId, deployId, this.clock.now());
  }

  async unpin(projectId: string): Promise<void> {
    await this.pins.unpin(projectId);
  }

  async isPinned(projectId: string): Promise<boolean> {
    return (await this.pins.of(projectId)) !== null;
  }

  /** The id of the production deploy, undefined when there is none. */
  async productionDeployOf(projectId: string): Promise<string | undefined> {
    return (await this.aliases.of(projectId)).find(({ kind }) => kind === 'production')?.deployId;
  }

  /** Releases the labels that the project had under an earlier slug. Their hosts would keep serving an old deploy. */
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
}

const targetOf = ({ id, projectId, orgId }: Deploy): { deployId: string; projectId: string; orgId: string } => ({
  deployId: id,
  projectId,
  orgId,
});
