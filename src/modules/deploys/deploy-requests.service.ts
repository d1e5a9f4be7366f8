import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { OrgDirectory } from '../orgs/org-directory.js';
import { type Project, ProjectsService } from '../projects/projects.service.js';
import { AdmissionService } from './admission/admission.service.js';
import type { DeployTrigger } from './deploy-facts.js';
import type { DeployType } from './deploy-state.js';
import { DeployTransitions } from './deploy-transitions.js';
import { ProjectHasNoRepository, TooManyDeploysWaiting } from './deploys.errors.js';
import { Deploy } from './persistence/deploy.entity.js';
import { DeploysStore } from './persistence/deploys.store.js';
import { ProductionGate } from './production-gate.js';
import { settingsOf } from './project-settings.js';
import { StorageGate } from './storage-gate.js';

/** Of one organization, waiting ones included. */
const MAX_GOING_ON = 100;

export interface DeployWish {
  /** Undefined: the production branch of the project. */
  readonly branch?: string | undefined;
  readonly type: DeployType;
  /** Builds even what was built before. */
  readonly force: boolean;
  /** Undefined: what the branch points to when the deploy begins. */
  readonly commit?: string | undefined;
}

interface Origin {
  readonly trigger: DeployTrigger;
  readonly userId: string | null;
}

/** Lets deploys in. They are queued with the transaction, and begin by themselves when it is their turn. */
@Injectable()
export class DeployRequests {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly gate: ProductionGate,
    private readonly storage: StorageGate,
    private readonly deploys: DeploysStore,
    private readonly transitions: DeployTransitions,
    private readonly admission: AdmissionService,
    private readonly owners: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Queues a deploy of the project. Older ones of the same branch and target that still wait are skipped.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`: a production deploy needs `deploys:production` as well.
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {ProjectHasNoRepository} `project_has_no_repository`
   * @throws {TooManyDeploysWaiting} `concurrency_limit_exceeded`
   * @throws {StorageLimitReached} `storage_limit_reached`
   */
  request(call: Call, named: string, wish: DeployWish): Promise<Deploy> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, named, 'deploys:write');
      if (wish.type === 'production') await this.gate.requireCaller(call, project.orgId);
      if (project.repoUrl !== null) await this.storage.requireRoom(project.orgId);
      const deploy = await this.queue(project, wish, { trigger: 'api', userId: call.principal.user.id });
      await this.owners.record(
        {
          orgId: project.orgId,
          action: 'deploy.requested',
          target: { type: 'deploy', id: deploy.id },
          details: { project_id: project.id, branch: deploy.branch, type: deploy.type },
        },
        call,
      );
      return deploy;
    });
  }

  /**
   * Queues a deploy because a branch of the project's repository has changed, whoever did that. The project is locked.
   */
  requestByPush(
    project: Project,
    push: { readonly branch: string; readonly pusherId: string | null },
    type: DeployType,
  ): Promise<Deploy> {
    return this.queue(project, { branch: push.branch, type, force: false }, { trigger: 'push', userId: push.pusherId });
  }

  private async queue(
    project: Project,
    { branch = project.productionBranch, type, force, commit }: DeployWish,
    { trigger, userId }: Origin,
  ): Promise<Deploy> {
    if (project.repoUrl === null) throw new ProjectHasNoRepository();
    const deploy: Deploy = Object.assign(new Deploy(), {
      id: this.ids.next('dpl'),
      orgId: project.orgId,
      projectId: project.id,
      branch,
      type,
      state: 'queued',
      attempt: 0,
      losses: 0,
      trigger,
      force,
      ref: commit ?? branch,
      repoUrl: project.repoUrl,
      settings: settingsOf(project),
      requestedBy: userId,
      commitSha: commit ?? null,
      commitMessage: null,
      commitAuthor: null,
      errorCode: null,
      errorMessage: null,
      output: null,
      sameAs: null,
      phaseMs: {},
      admittedAt: null,
      leaseUntil: null,
      workerId: null,
      createdAt: this.clock.now(),
      initializingAt: null,
      buildingAt: null,
      deployingAt: null,
      readyAt: null,
      finishedAt: null,
      wentLiveAt: null,
      filesRemovedAt: null,
    });
    for (const older of await this.deploys.waitingBefore(deploy)) await this.transitions.skipped(older, deploy.id);
    if ((await this.deploys.countGoingOn(project.orgId)) >= MAX_GOING_ON) throw new TooManyDeploysWaiting(MAX_GOING_ON);
    await this.transitions.queued(deploy);
    await this.database.afterCommit(() => this.admission.runSoon());
    return deploy;
  }
}
