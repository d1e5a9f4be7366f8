import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import type { Plan } from '../plans/plan.js';
import type { StoredBytesOfProject } from '../hosting/stored-bytes.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';
import { LIMIT_ERRORS } from '../limits/limits.errors.js';
import type { DeployState } from './domain/deploy-state.js';

export const DEPLOY_ERRORS = defineErrors({
  deploy_not_found: { type: 'not_found_error', status: 404, title: 'Deploy not found.' },
  project_has_no_repository: { type: 'conflict_error', status: 409, title: 'The project has no linked repository.' },
  deploy_already_over: { type: 'conflict_error', status: 409, title: 'The deploy has already ended.' },
  deploy_in_use: { type: 'conflict_error', status: 409, title: 'The deploy is running or is the production deploy.' },
  storage_limit_reached: {
    type: 'conflict_error',
    status: 409,
    title: 'The storage limit of the plan is reached.',
    dashboard: '/~/usage',
  },
  deploy_not_ready: {
    type: 'conflict_error',
    status: 409,
    title: 'The deploy is not ready or its files were removed.',
  },
  project_not_live: { type: 'conflict_error', status: 409, title: 'The project has no such host.' },
  deploy_hook_not_found: { type: 'not_found_error', status: 404, title: 'Deploy hook not found.' },
  no_earlier_deploy: { type: 'conflict_error', status: 409, title: 'There is no earlier deploy to roll back to.' },
});

/** The answer for a deploy of another organization is byte for byte the answer for one that does not exist. */
export class DeployNotFound extends DomainError {
  constructor() {
    super(DEPLOY_ERRORS.deploy_not_found, 'Deploy not found.', {
      hint: 'List the deploys of a project: GET /api/v1/projects/{project_id}/deploys.',
    });
  }
}

/** The message is fixed by the service document, §4 rule 3. */
export class ProjectHasNoRepository extends DomainError {
  constructor() {
    super(DEPLOY_ERRORS.project_has_no_repository, 'Project has no linked repository', {
      hint: 'Set repo_url on the project, or deploy a directory: service deploy <directory>.',
    });
  }
}

/** Queued deploys are checked every second, so that their number has to be bounded. */
export class TooManyDeploysWaiting extends DomainError {
  constructor(limit: number) {
    super(LIMIT_ERRORS.concurrency_limit_exceeded, `Active deploy limit reached: ${limit} for each organization.`, {
      retryAfterSeconds: 30,
      hint: 'Wait until a deploy ends, or cancel one.',
      details: { policy: 'deploys_going_on', limit, remaining: 0 },
    });
  }
}

export class DeployAlreadyOver extends DomainError {
  constructor(state: DeployState) {
    super(DEPLOY_ERRORS.deploy_already_over, `The deploy has already ended with state ${state}.`, {
      hint: 'Cancel only deploys that are queued, initializing, building or deploying.',
      details: { state },
    });
  }
}

/** A deploy can only be deleted when it has ended and is not the production deploy. */
export class DeployInUse extends DomainError {
  constructor(state: DeployState, isInProduction: boolean) {
    super(
      DEPLOY_ERRORS.deploy_in_use,
      isInProduction
        ? 'The production deploy cannot be deleted.'
        : `The deploy cannot be deleted while it is ${state}.`,
      {
        hint: isInProduction
          ? 'Promote another deploy or deploy to production, then delete this one.'
          : 'Cancel the deploy or wait until it ends.',
        details: { state, in_production: isInProduction },
      },
    );
  }
}

export interface StorageUse {
  readonly plan: Plan;
  readonly limitBytes: number;
  readonly usedBytes: number;
  /** The part of `usedBytes` that uploads take. They are deleted by themselves after a while. */
  readonly uploadBytes: number;
  /** The projects that store most, largest first. */
  readonly projects: readonly StoredBytesOfProject[];
}

/** The stored files of the organization's deploys and its uploads leave no room for another deploy. */
export class StorageLimitReached extends DomainError {
  constructor({ plan, limitBytes, usedBytes, uploadBytes, projects }: StorageUse, upgradeUrl: string) {
    super(
      DEPLOY_ERRORS.storage_limit_reached,
      `Storage limit reached: ${plan.name} allows ${limitBytes} bytes, and ${usedBytes} are in use` +
        (uploadBytes === 0 ? '.' : `, ${uploadBytes} of them by uploads.`),
      {
        hint:
          'Delete deploys (DELETE /api/v1/deploys/{deploy_id}) or projects' +
          (uploadBytes === 0 ? '' : ', wait until unused uploads are deleted after 7 days') +
          `, or upgrade: ${upgradeUrl}`,
        details: {
          plan: plan.id,
          limit_bytes: limitBytes,
          used_bytes: usedBytes,
          upload_bytes: uploadBytes,
          largest_projects: projects.map(({ projectId, bytes }) => ({ project_id: projectId, bytes })),
        },
      },
    );
  }
}

/** Only a ready deploy that still has its files can go live. */
export class DeployNotReady extends DomainError {
  constructor(state: DeployState, filesAreRemoved: boolean) {
    super(
      DEPLOY_ERRORS.deploy_not_ready,
      filesAreRemoved ? 'The files of the deploy were deleted.' : `The deploy cannot go live: it is ${state}.`,
      {
        hint: filesAreRemoved ? 'Deploy the commit again.' : 'Choose a deploy that is ready.',
        details: { state, files_removed: filesAreRemoved },
      },
    );
  }
}

export class NoEarlierDeploy extends DomainError {
  constructor() {
    super(
      DEPLOY_ERRORS.no_earlier_deploy,
      'The project has no earlier production deploy whose files are still stored.',
      {
        hint: 'Choose a ready deploy: {"deploy_id": "dpl_…"}.',
      },
    );
  }
}

/** A wrong secret gets this answer as well, so that the ids of hooks cannot be tried. */
export class DeployHookNotFound extends DomainError {
  constructor() {
    super(DEPLOY_ERRORS.deploy_hook_not_found, 'Deploy hook not found.', {
      hint: 'Check the URL, or create a new hook: POST /api/v1/projects/{project_id}/deploy-hooks.',
    });
  }
}

export class TooManyDeployHooks extends RequestInvalid {
  constructor(limit: number) {
    super([
      {
        path: '',
        in: 'body',
        code: 'max_hooks',
        message: `A project can have ${limit} deploy hooks. Delete one that is no longer used.`,
        expected: { max: limit },
      },
    ]);
  }
}

/** A link needs a host that leads to a deploy of the project. */
export class ProjectNotLive extends DomainError {
  constructor(host: string | undefined) {
    super(
      DEPLOY_ERRORS.project_not_live,
      host === undefined ? 'The project has no production deploy.' : 'No host of the project has this name.',
      { hint: 'Set host to one of the hosts in url or aliases of a deploy of the project.' },
    );
  }
}
