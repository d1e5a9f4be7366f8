import { Injectable } from '@nestjs/common';
import { deployLabel } from '../../hosting/labels.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import { type PushedBranch, type PushReport, PushReporters } from '../../repositories/push-reporters.js';
import type { LogLine } from '../domain/deploy-facts.js';
import { ProductionGate } from '../domain/production-gate.js';
import { DeploySignals } from '../domain/deploy-signals.js';
import { LogFollower } from '../logs/log-follower.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { ProjectHosts } from '../requests/project-hosts.js';

/** A worker queues the deploys within moments. */
const QUEUED_WITHIN_MS = 10_000;
/** The longest delay that a lost signal can cause. */
const LOOK_EVERY_MS = 500;
/** A push of many branches to many projects starts more deploys than anybody reads about. */
const SHOWN = 20;

interface AwaitedDeploy {
  readonly project: Project;
  readonly branch: PushedBranch;
}

/** Tells pushers which deploys their push has started, and shows their logs on request. */
@Injectable()
export class PushDeployReporter {
  constructor(
    reporters: PushReporters,
    private readonly projects: ProjectsService,
    private readonly deploys: DeploysStore,
    private readonly hosts: ProjectHosts,
    private readonly gate: ProductionGate,
    private readonly follower: LogFollower,
    private readonly signals: DeploySignals,
  ) {
    reporters.register((report, signal) => this.lines(report, signal));
  }

  private async *lines(report: PushReport, signal: AbortSignal): AsyncGenerator<string> {
    const linked = await this.projects.linkedTo(report.orgId, report.repoUrl);
    if (linked.length === 0) {
      yield 'No project is linked to this repository, so nothing is deployed.';
      return;
    }
    const awaited = linked.flatMap((project) => report.branches.map((branch) => ({ project, branch })));
    const isProductionInPlan = await this.gate.allows(report.orgId);
    const found: { project: Project; deploy: Deploy }[] = [];
    for await (const { project, deploy } of this.queued(awaited.slice(0, SHOWN), report, signal)) {
      found.push({ project, deploy });
      yield `Deploying ${project.slug} (${deploy.branch}, ${deploy.type}): ${this.urlOf(deploy)}`;
      if (deploy.branch === project.productionBranch && !isProductionInPlan)
        yield `  It is a preview, because the plan does not include production deploys.`;
    }
    if (awaited.length > SHOWN) yield `${awaited.length - SHOWN} more deploys are not shown.`;
    const late = Math.min(awaited.length, SHOWN) - found.length;
    if (late > 0) yield `${late} ${late === 1 ? 'deploy is' : 'deploys are'} not queued yet. See: service deploys list`;
    if (report.wait) for (const { deploy } of found) yield* this.followed(deploy, signal);
    else if (found.length > 0) yield 'To wait for the result: git push -o wait';
  }

  /** Yields the deploys of the push as they are queued. It gives up after a while. */
  private async *queued(
    awaited: readonly AwaitedDeploy[],
    { orgId, since }: PushReport,
    signal: AbortSignal,
  ): AsyncGenerator<{ project: Project; deploy: Deploy }> {
    let left = [...awaited];
    for (const end = performance.now() + QUEUED_WITHIN_MS; left.length > 0 && !signal.aborted;) {
      // A deploy that is queued after this line is not missed.
      const notified = this.signals.next(orgId, LOOK_EVERY_MS, signal);
      const projectIds = left.map(({ project }) => project.id);
      const deploys = await this.deploys.pushedSince(projectIds, since);
      const waiting: AwaitedDeploy[] = [];
      for (const each of left) {
        const deploy = deploys.find((queued) => isOf(queued, each));
        if (deploy === undefined) waiting.push(each);
        else yield { project: each.project, deploy };
      }
      left = waiting;
      if (left.length === 0 || performance.now() > end) return;
      await notified;
    }
  }

  private async *followed({ id }: Deploy, signal: AbortSignal): AsyncGenerator<string> {
    for await (const news of this.follower.follow(id, 0, signal)) {
      if ('lines' in news) yield* news.lines.map(textOf);
      else yield this.resultOf(await this.deploys.get(id));
      if ('end' in news) return;
    }
    yield `The deploy is still running. Follow it with: service logs ${id}`;
  }

  private resultOf(deploy: Deploy): string {
    const { id, state, errorCode, errorMessage } = deploy;
    if (state === 'ready') return `Ready: ${this.urlOf(deploy)}`;
    return errorCode === null ? `${id} is ${state}.` : `${id} failed: ${errorCode}: ${errorMessage ?? ''}`;
  }

  private urlOf({ id }: Deploy): string {
    return this.hosts.urlOf(deployLabel(id));
  }
}

/** Another push of the branch, a moment later, has a deploy of its own. */
const isOf = ({ projectId, branch, pushedCommit }: Deploy, { project, branch: pushed }: AwaitedDeploy): boolean =>
  projectId === project.id && branch === pushed.name && pushedCommit === pushed.commitSha;

const textOf = ({ phase, stream, text }: LogLine): string =>
  `${phase.padEnd(7)} ${stream === 'system' ? '> ' : ''}${text}`;
