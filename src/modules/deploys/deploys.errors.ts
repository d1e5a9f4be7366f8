import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import type { Plan } from '../plans/plan.js';
import type { StoredBytesOfProject } from '../hosting/stored-bytes.js';
import { LIMIT_ERRORS } from '../limits/limits.errors.js';
import type { DeployState } from './domain/deploy-state.js';

export const DEPLOY_ERRORS = defineErrors({
  deploy_not_found: { type: 'not_found_error', status: 404, title: 'Deploy not found.' },
  project_has_no_repository: { type: 'conflict_error', status: 409, title: 'The project has no linked repository.' },
  deploy_already_over: { type: 'conflict_error', status: 409, title: 'The deploy has already ended.' },
  deploy_in_use: { type: 'conflict_error', status: 409, title: 'The deploy is running or is the production deploy.' },
  storage_limit_reached: { type: 'conflict_error', status: 409, title: 'The storage limit of the plan is reached.' },
  deploy_not_ready: {
    type: 'conflict_error',
    status: 409,
    title: 'The deploy is not ready or its files were removed.',
  },
  no_earlier_deploy: { type: 'conflict_error', status: 409, title: 'There is no earlier deploy to roll back to.' },
});

/** To the byte the same for a deploy of strangers as for one that never was. */
export class DeployNotFound extends DomainError {
  constructor() {
    super(DEPLOY_ERRORS.deploy_not_found, 'There is no such deploy.', {
      hint: 'GET /api/v1/projects/{project_id}/deploys lists those of a project.',
    });
  }
}

/** The message is fixed by the service document, §4 rule 3. */
export class ProjectHasNoRepository extends DomainError {
  constructor() {
    super(DEPLOY_ERRORS.project_has_no_repository, 'Project has no linked repository', {
      hint: 'Set repo_url on the project, then deploy again.',
    });
  }
}

/** What waits is kept, looked at every second and shown; nobody needs as much. */
export class TooManyDeploysWaiting extends DomainError {
  constructor(limit: number) {
    super(LIMIT_ERRORS.concurrency_limit_exceeded, `The organization has ${limit} deploys that wait or are at work.`, {
      retryAfterSeconds: 30,
      hint: 'Wait for some of them to end, or cancel them.',
      details: { policy: 'deploys_going_on', limit, remaining: 0 },
    });
  }
}

export class DeployAlreadyOver extends DomainError {
  constructor(state: DeployState) {
    super(DEPLOY_ERRORS.deploy_already_over, `The deploy is over: it is ${state}.`, {
      hint: 'Only a deploy that waits or is at work can be cancelled.',
      details: { state },
    });
  }
}

/** The files of a deploy that is still needed are not deleted. */
export class DeployInUse extends DomainError {
  constructor(state: DeployState, isInProduction: boolean) {
    super(
      DEPLOY_ERRORS.deploy_in_use,
      isInProduction
        ? 'The deploy cannot be deleted: production shows it.'
        : `The deploy cannot be deleted: it is ${state}.`,
      {
        hint: isInProduction
          ? 'Promote another deploy, or deploy to production again, then delete this one.'
          : 'Cancel it, or wait until it is over.',
        details: { state, in_production: isInProduction },
      },
    );
  }
}

export interface StorageUse {
  readonly plan: Plan;
  readonly limitBytes: number;
  readonly usedBytes: number;
  /** The largest first. */
  readonly projects: readonly StoredBytesOfProject[];
}

/** What is deployed has to have room; the files of other deploys are in its way. */
export class StorageLimitReached extends DomainError {
  constructor({ plan, limitBytes, usedBytes, projects }: StorageUse, upgradeUrl: string) {
    super(
      DEPLOY_ERRORS.storage_limit_reached,
      `The plan ${plan.name} allows ${limitBytes} bytes in deploys, and the organization stores ${usedBytes}.`,
      {
        hint: `Delete deploys that are no longer needed (DELETE /api/v1/deploys/{deploy_id}) or their projects, or choose a larger plan: ${upgradeUrl}`,
        details: {
          plan: plan.id,
          limit_bytes: limitBytes,
          used_bytes: usedBytes,
          largest_projects: projects.map(({ projectId, bytes }) => ({ project_id: projectId, bytes })),
        },
      },
    );
  }
}

/** Only what can be opened can be made live. */
export class DeployNotReady extends DomainError {
  constructor(state: DeployState, filesAreRemoved: boolean) {
    super(
      DEPLOY_ERRORS.deploy_not_ready,
      filesAreRemoved ? 'The files of the deploy are not kept any more.' : `The deploy cannot be live: it is ${state}.`,
      {
        hint: filesAreRemoved ? 'Deploy its commit again.' : 'Wait until it is ready, or choose one that is.',
        details: { state, files_removed: filesAreRemoved },
      },
    );
  }
}

export class NoEarlierDeploy extends DomainError {
  constructor() {
    super(DEPLOY_ERRORS.no_earlier_deploy, 'No earlier deploy of the project was live and is still kept.', {
      hint: 'Name a deploy that is ready: {"deploy_id": "dpl_…"}.',
    });
  }
}
