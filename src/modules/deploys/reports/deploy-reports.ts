import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { GithubReports } from '../../github/github-reports.js';
import type { DeployState } from '../domain/deploy-state.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { deployReportJob } from './deploy-reports.job.js';

/** The states in which something is new to a reader of the commit. Before `building` the commit may be unknown. */
const REPORTED: readonly DeployState[] = ['building', 'ready', 'error', 'canceled', 'skipped'];

/** Queues reports of deploys to the host of their repository, so that a deploy never waits for that host. */
@Injectable()
export class DeployReports {
  constructor(
    private readonly outbox: Outbox,
    private readonly github: GithubReports,
  ) {}

  /** Joins the running transaction. Does nothing for repositories that are not at GitHub. */
  async queue({ id, repoUrl }: Pick<Deploy, 'id' | 'repoUrl'>, state: DeployState): Promise<void> {
    if (REPORTED.includes(state) && this.github.concerns(repoUrl))
      await this.outbox.enqueue(deployReportJob, { deployId: id });
  }
}
