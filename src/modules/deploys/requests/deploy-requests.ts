import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import { DeployAdmissionService } from '../admission/deploy-admission.service.js';
import type { DeployType } from '../domain/deploy-state.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { TooManyDeploysWaiting } from '../deploys.errors.js';
import { DEPLOY_ID } from '../deploys.ids.js';
import { Deploy, type RequestedDeploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { ProductionGate } from '../domain/production-gate.js';
import { StorageGate } from '../domain/storage-gate.js';

/** Of one organization, waiting ones included. */
const MAX_GOING_ON = 100;

export type CreateDeployInput = Omit<RequestedDeploy, 'trigger' | 'requestedBy'>;

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
    private readonly admission: DeployAdmissionService,
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
  request(call: Call, named: string, input: CreateDeployInput): Promise<Deploy> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, named, 'deploys:write');
      if (input.type === 'production') await this.gate.requireCaller(call, project.orgId);
      if (project.repoUrl !== null) await this.storage.requireRoom(project.orgId);
      const deploy = await this.queue(project, { ...input, trigger: 'api', requestedBy: call.principal.user.id });
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
    return this.queue(project, {
      branch: push.branch,
      type,
      force: false,
      trigger: 'push',
      requestedBy: push.pusherId,
    });
  }

  private async queue(project: Project, request: RequestedDeploy): Promise<Deploy> {
    const deploy = Deploy.queued(project, request, { id: this.ids.next(DEPLOY_ID), at: this.clock.now() });
    for (const older of await this.deploys.waitingBefore(deploy)) await this.transitions.skipped(older, deploy.id);
    if ((await this.deploys.countGoingOn(project.orgId)) >= MAX_GOING_ON) throw new TooManyDeploysWaiting(MAX_GOING_ON);
    await this.transitions.queued(deploy);
    await this.database.afterCommit(() => this.admission.runSoon());
    return deploy;
  }
}
