import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { deployLabel } from '../../hosting/labels.js';
import { ProjectsService } from '../../projects/projects.service.js';
import type { DeployOutput } from '../domain/deploy-facts.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { LiveDeploys } from '../requests/live-deploys.js';
import { AttemptOver, type DeployRun } from './deploy-run.js';

/** Ends a deploy well: it is ready and its hosts lead to it, both or neither. */
@Injectable()
export class GoLiveStep {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly live: LiveDeploys,
    private readonly transitions: DeployTransitions,
  ) {}

  /**
   * @throws {DeployFailed} `feature_not_in_plan`: the plan has become a smaller one.
   * @throws {AttemptOver}
   */
  async run({ deploy, log, phases }: DeployRun, output: DeployOutput, sameAs: string | null): Promise<void> {
    phases.begin('live');
    log.note(
      'live',
      `Leading ${this.live.urlOf(deployLabel(deploy.id))} to it${deploy.type === 'production' ? ', and production unless that is pinned' : ''}.`,
    );
    // So that whoever sees the state has all that led to it.
    await log.flushed();
    await this.database.transaction(async () => {
      const project = await this.projects.findAndLock(deploy.projectId);
      if (project === null || !(await this.transitions.ready(deploy, { output, sameAs, phaseMs: phases.read() })))
        throw new AttemptOver();
      await this.live.deployed(deploy, project);
    });
  }
}
