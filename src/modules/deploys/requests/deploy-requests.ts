import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import type { DeployType } from '../domain/deploy-state.js';
import { ProductionGate } from '../domain/production-gate.js';
import { StorageGate } from '../domain/storage-gate.js';
import type { Deploy, RequestedDeploy } from '../persistence/deploy.entity.js';
import { UploadsService } from '../../uploads/uploads.service.js';
import { DeployQueue } from './deploy-queue.js';

/** The facts of a hook that decide what it deploys. */
export interface RequestingHook {
  readonly id: string;
  readonly branch: string;
  readonly production: boolean;
}

export type CreateDeployInput = Omit<RequestedDeploy, 'trigger' | 'requestedBy'>;

/** Checks requests for deploys and queues them. A queued deploy starts without another request when it is its turn. */
@Injectable()
export class DeployRequests {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly gate: ProductionGate,
    private readonly storage: StorageGate,
    private readonly queue: DeployQueue,
    private readonly uploads: UploadsService,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * Queues a deploy of the project. Older deploys of the same branch and target that still wait are skipped.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`: a production deploy needs `deploys:production` as well.
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {ProjectHasNoRepository} `project_has_no_repository`
   * @throws {UploadNotFound} `upload_not_found`
   * @throws {UploadIncomplete} `upload_incomplete`
   * @throws {TooManyDeploysWaiting} `concurrency_limit_exceeded`
   * @throws {StorageLimitReached} `storage_limit_reached`
   */
  request(call: Call, projectIdOrSlug: string, input: CreateDeployInput): Promise<Deploy> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, projectIdOrSlug, 'deploys:write');
      if (input.type === 'production') await this.gate.requireCaller(call, project.orgId);
      if (input.uploadId !== undefined) await this.uploads.requireComplete(project.id, input.uploadId);
      if (project.repoUrl !== null || input.uploadId !== undefined) await this.storage.requireRoom(project.orgId);
      const deploy = await this.queue.add(project, { ...input, trigger: 'api', requestedBy: call.principal.user.id });
      await this.orgs.record(
        {
          orgId: project.orgId,
          action: 'deploy.requested',
          target: { type: 'deploy', id: deploy.id },
          details: {
            project_id: project.id,
            branch: deploy.branch,
            type: deploy.type,
            ...(deploy.uploadId === null ? {} : { upload_id: deploy.uploadId }),
          },
        },
        call,
      );
      return deploy;
    });
  }

  /**
   * Queues a deploy because a branch of the project's repository changed. The rights of the person who pushed are not
   * checked. The project is locked.
   */
  requestByPush(
    project: Project,
    push: { readonly branch: string; readonly commitSha: string; readonly pusherId: string | null },
    type: DeployType,
  ): Promise<Deploy> {
    return this.queue.add(project, {
      branch: push.branch,
      pushedCommit: push.commitSha,
      type,
      force: false,
      trigger: 'push',
      requestedBy: push.pusherId,
    });
  }

  /**
   * Queues a deploy because the URL of a hook was called. The production branch goes to production if the hook and the
   * plan allow it. The project is locked.
   *
   * @throws {ProjectHasNoRepository} `project_has_no_repository`
   * @throws {TooManyDeploysWaiting} `concurrency_limit_exceeded`
   * @throws {StorageLimitReached} `storage_limit_reached`
   */
  async requestByHook(project: Project, hook: RequestingHook): Promise<Deploy> {
    if (project.repoUrl !== null) await this.storage.requireRoom(project.orgId);
    const deploy = await this.queue.add(project, {
      branch: hook.branch,
      type: hook.production ? await this.gate.typeOf(project, hook.branch) : 'preview',
      force: false,
      trigger: 'hook',
      requestedBy: null,
    });
    await this.orgs.record(
      {
        orgId: project.orgId,
        action: 'deploy.requested',
        target: { type: 'deploy', id: deploy.id },
        details: { project_id: project.id, branch: deploy.branch, type: deploy.type, hook_id: hook.id },
      },
      undefined,
    );
    return deploy;
  }
}
