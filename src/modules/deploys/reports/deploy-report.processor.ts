import { Injectable } from '@nestjs/common';
import { type JobHandler, JobPostponed } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { deployLabel } from '../../hosting/labels.js';
import { type CommitStatus, GithubReports } from '../../github/github-reports.js';
import { GithubBusy } from '../../github/github.errors.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import type { DeployState } from '../domain/deploy-state.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { ProjectHosts } from '../requests/project-hosts.js';
import { deployReportJob, type DeployReportPayload } from './deploy-reports.job.js';

const STATUS_OF: Readonly<Record<DeployState, readonly [CommitStatus['state'], string]>> = {
  queued: ['pending', 'Queued'],
  initializing: ['pending', 'Starting'],
  building: ['pending', 'Building'],
  deploying: ['pending', 'Deploying'],
  ready: ['success', 'Ready'],
  error: ['failure', 'Failed'],
  canceled: ['error', 'Canceled'],
  skipped: ['error', 'Skipped: a newer deploy was queued'],
};

/** A state that changed meanwhile is reported again, because another worker may have been faster. */
const MOST_REPORTS = 4;
const SHORT_SHA = 7;

/** Reports the current state of a deploy to GitHub. A report that fails for good changes nothing about the deploy. */
@Injectable()
@Handles(deployReportJob)
export class DeployReportProcessor implements JobHandler<DeployReportPayload> {
  constructor(
    private readonly deploys: DeploysStore,
    private readonly projects: ProjectsService,
    private readonly hosts: ProjectHosts,
    private readonly github: GithubReports,
  ) {}

  async handle({ deployId }: DeployReportPayload): Promise<void> {
    try {
      await this.report(deployId);
    } catch (error) {
      // GitHub says when to come back. Until then no attempt would be counted as one.
      if (error instanceof GithubBusy) throw new JobPostponed(error.retryAfterMs, {}, error);
      throw error;
    }
  }

  private async report(deployId: string): Promise<void> {
    let reported: DeployState | undefined;
    for (let count = 0; count < MOST_REPORTS; count++) {
      const deploy = await this.deploys.get(deployId);
      if (deploy.state === reported) return;
      const project = await this.projects.find(deploy.projectId);
      if (project === null) return;
      reported = deploy.state;
      await this.setStatus(deploy, project);
      await this.comment(deploy, project);
    }
  }

  private async setStatus(deploy: Deploy, { slug }: Project): Promise<void> {
    const { orgId, repoUrl, commitSha: sha, type, state: current, errorCode } = deploy;
    if (sha === null) return;
    const [state, text] = STATUS_OF[current];
    await this.github.setStatus(
      { orgId, repoUrl, sha },
      {
        state,
        description: errorCode === null ? text : `${text}: ${errorCode}`,
        target_url: this.urlOf(deploy),
        context: `deploy/${slug}${type === 'production' ? ' (production)' : ''}`,
      },
    );
  }

  /** The comment shows the newest deploy of the branch, also when an older one ends after it. */
  private async comment({ orgId, repoUrl, branch, projectId }: Deploy, { slug }: Project): Promise<void> {
    const page = await this.deploys.list(projectId, { branch }, { limit: 1, after: undefined });
    const [newest] = page.items;
    if (newest === undefined) return;
    const [, text] = STATUS_OF[newest.state];
    const cells = [
      `\`${slug}\``,
      newest.errorCode === null ? text : `${text}: \`${newest.errorCode}\``,
      newest.state === 'ready' ? this.urlOf(newest) : '',
      newest.commitSha === null ? '' : `\`${newest.commitSha.slice(0, SHORT_SHA)}\``,
    ];
    const table = `| Project | Deploy | Address | Commit |\n|---|---|---|---|\n| ${cells.join(' | ')} |`;
    await this.github.comment({ orgId, repoUrl, branch, topic: `deploys of ${projectId}` }, table);
  }

  private urlOf({ id }: Deploy): string {
    return this.hosts.urlOf(deployLabel(id));
  }
}
