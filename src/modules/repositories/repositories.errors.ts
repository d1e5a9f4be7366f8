import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { LIMIT_ERRORS } from '../limits/limits.errors.js';
import type { Plan } from '../plans/plan.js';
import { PLAN_ERRORS } from '../plans/plans.errors.js';

export const REPOSITORY_ERRORS = defineErrors({
  git_service_not_offered: {
    type: 'authorization_error',
    status: 403,
    title: 'Repositories are served over smart HTTP only.',
  },
  repository_not_found: { type: 'not_found_error', status: 404, title: 'Repository not found.' },
  repository_full: { type: 'api_error', status: 413, title: 'The repository has reached its size limit.' },
});

/** To the byte the same for a repository of strangers as for one that never was. */
export class RepositoryNotFound extends DomainError {
  constructor() {
    super(REPOSITORY_ERRORS.repository_not_found, 'There is no such repository.', {
      hint: 'GET /api/v1/repositories lists those of an organization; x-service-org says of which.',
    });
  }
}

export class RepositoryNameTaken extends DomainError {
  constructor(name: string) {
    super(GENERIC_ERRORS.already_exists, `The organization has a repository with the name ${name}.`, {
      hint: 'Send another name. Names that differ in upper and lower case alone are one.',
      details: { name },
    });
  }
}

export class TooManyRepositories extends DomainError {
  constructor({ id, name }: Plan, limit: number, upgradeUrl: string) {
    super(
      PLAN_ERRORS.plan_limit_reached,
      `The plan ${name} has room for ${limit} repositories, and the organization has them.`,
      {
        hint: `Delete one that is not needed any more, or choose a larger plan: ${upgradeUrl}`,
        details: { limit, plan: id },
      },
    );
  }
}

/** Told before anything of a push is read. */
export class RepositoryFull extends DomainError {
  constructor(limitBytes: number) {
    super(REPOSITORY_ERRORS.repository_full, `The repository has the ${limitBytes} bytes that it may have.`, {
      hint: 'Take large files out of its history and push that with --force; what is not reachable any more is gone two days later.',
      details: { limit_bytes: limitBytes },
    });
  }
}

/** Only for a moment, so that git's user may simply push again. */
export class RepositoryRoomTaken extends DomainError {
  constructor(reservedBytes: number) {
    super(
      LIMIT_ERRORS.concurrency_limit_exceeded,
      `Other pushes to the repository have reserved ${reservedBytes} bytes, and too few are left for this one.`,
      {
        retryAfterSeconds: 5,
        hint: 'Push again when they are over.',
        details: { policy: 'push_room', reserved_bytes: reservedBytes },
      },
    );
  }
}

export class GitServiceUnknown extends DomainError {
  constructor() {
    super(REPOSITORY_ERRORS.git_service_not_offered, 'Repositories are read and written by smart HTTP alone.', {
      hint: 'Use git 1.6.6 or later: git clone <repo_url>.',
    });
  }
}

export class TooManyGitCalls extends DomainError {
  constructor(limit: number) {
    super(LIMIT_ERRORS.concurrency_limit_exceeded, `The organization has ${limit} clones and pushes going on.`, {
      retryAfterSeconds: 2,
      hint: 'Try again when one of them is over.',
      details: { policy: 'git_concurrency', limit, remaining: 0 },
    });
  }
}
