import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { deployLabel } from '../../hosting/labels.js';
import { ProjectsService } from '../../projects/projects.service.js';
import type { DeployOutput } from '../domain/deploy-facts.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { LiveDeploys } from '../requests/live-deploys.js';
import { ProjectHosts } from '../requests/project-hosts.js';
import { AttemptOver, type DeployRun } from './deploy-run.js';

/** Makes a deploy ready and points its hosts to it, both in one transaction. */
@Injectable()
export class GoLiveStep {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly live: LiveDeploys,
    private readonly hosts: ProjectHosts,
    private readonly transitions: DeployTransitions,
  ) {}

  /**
   * @throws {DeployFailed} `feature_not_in_plan`: the plan was changed to a smaller one.
   * @throws {AttemptOver}
   */
  async run({ deploy, log, phases }: DeployRun, output: DeployOutput, sameAs: string | null): Promise<void> {
    phases.begin('live');
    const url = this.hosts.urlOf(deployLabel(deploy.id));
    const also = deploy.type === 'production' ? ' and production, unless production is pinned,' : '';
    log.note('live', `Pointing ${url}${also} to this deploy.`);
    // A reader who sees the final state must be able to read the whole log.
    await log.flushed();
    await this.database.transaction(async () => {
      const project = await this.projects.findAndLock(deploy.projectId);
      if (project === null || !(await this.transitions.ready(deploy, { output, sameAs, phaseMs: phases.read() })))
        throw new AttemptOver();
      await this.live.deployed(deploy, project);
    });
  }
}
