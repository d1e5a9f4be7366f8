import { DomainError } from '../../platform/errors/domain-error.js';
import type { DeployState } from './deploy-state.js';

/** To the byte the same for a deploy of strangers as for one that never was. */
export class DeployNotFound extends DomainError {
  constructor() {
    super('deploy_not_found', 'There is no such deploy.', { hint: 'GET /api/v1/projects/{project_id}/deploys lists those of a project.' });
  }
}

/** The message is fixed by the service document, §4 rule 3. */
export class ProjectHasNoRepository extends DomainError {
  constructor() {
    super('project_has_no_repository', 'Project has no linked repository', { hint: 'Set repo_url on the project, then deploy again.' });
  }
}

/** What waits is kept, looked at every second and shown; nobody needs as much. */
export class TooManyDeploysWaiting extends DomainError {
  constructor(limit: number) {
    super('concurrency_limit_exceeded', `The organization has ${limit} deploys that wait or are at work.`, {
      retryAfterSeconds: 30,
      hint: 'Wait for some of them to end, or cancel them.',
      details: { policy: 'deploys_going_on', limit, remaining: 0 },
    });
  }
}

export class DeployAlreadyOver extends DomainError {
  constructor(state: DeployState) {
    super('deploy_already_over', `The deploy is over: it is ${state}.`, {
      hint: 'Only a deploy that waits or is at work can be cancelled.', details: { state },
    });
  }
}

/** Only what can be opened can be made live. */
export class DeployNotReady extends DomainError {
  constructor(state: DeployState, filesAreRemoved: boolean) {
    super('deploy_not_ready', filesAreRemoved ? 'The files of the deploy are not kept any more.' : `The deploy cannot be live: it is ${state}.`, {
      hint: filesAreRemoved ? 'Deploy its commit again.' : 'Wait until it is ready, or choose one that is.',
      details: { state, files_removed: filesAreRemoved },
    });
  }
}

export class NoEarlierDeploy extends DomainError {
  constructor() {
    super('no_earlier_deploy', 'No earlier deploy of the project was live and is still kept.', {
      hint: 'Name a deploy that is ready: {"deploy_id": "dpl_…"}.',
    });
  }
}
