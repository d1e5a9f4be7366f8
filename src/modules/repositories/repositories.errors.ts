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
  branch_not_found: { type: 'not_found_error', status: 404, title: 'The repository has no such branch.' },
  branch_moved: { type: 'conflict_error', status: 409, title: 'The branch is at another commit than expected.' },
  repository_full: { type: 'api_error', status: 413, title: 'The repository has reached its size limit.' },
});

/**
 * The answer is identical for a repository of another tenant and for one that never existed, so that it reveals
 * nothing.
 */
export class RepositoryNotFound extends DomainError {
  constructor() {
    super(REPOSITORY_ERRORS.repository_not_found, 'Repository not found.', {
      hint: 'List the repositories with GET /api/v1/repositories; x-service-org selects the organization.',
    });
  }
}

export class BranchNotFound extends DomainError {
  constructor(branch: string) {
    super(REPOSITORY_ERRORS.branch_not_found, `The repository has no branch ${branch.slice(0, 255)}.`, {
      hint: 'List the branches with GET /api/v1/repositories/{repository_id}/branches.',
    });
  }
}

/** A commit is added on the parent that its author has seen, so that nothing of others is undone. */
export class BranchMoved extends DomainError {
  constructor(branch: string, head: string | undefined) {
    super(
      REPOSITORY_ERRORS.branch_moved,
      head === undefined
        ? `The branch ${branch} does not exist, and the expected commit is not in the repository.`
        : `The branch ${branch} is at ${head}, and not at the expected commit.`,
      {
        hint: 'Read the files again, and write on the commit that was read.',
        details: { head: head ?? null },
      },
    );
  }
}

export class RepositoryNameTaken extends DomainError {
  constructor(name: string) {
    super(GENERIC_ERRORS.already_exists, `The name ${name} is already used by another repository.`, {
      hint: 'Choose another name; names ignore case.',
      details: { name },
    });
  }
}

export class TooManyRepositories extends DomainError {
  constructor({ id, name }: Plan, limit: number, upgradeUrl: string) {
    super(PLAN_ERRORS.plan_limit_reached, `Repository limit reached: ${name} allows ${limit}.`, {
      hint: `Delete a repository or upgrade: ${upgradeUrl}`,
      details: { limit, plan: id },
    });
  }
}

/** Refuses a push before anything of it is read. */
export class RepositoryFull extends DomainError {
  constructor(limitBytes: number) {
    super(REPOSITORY_ERRORS.repository_full, `Repository size limit reached: ${limitBytes} bytes.`, {
      hint:
        'Remove large files from its history and push with --force. ' +
        'Unreachable objects are deleted two days later.',
      details: { limit_bytes: limitBytes },
    });
  }
}

/** Temporary, so that the user of git can simply push again. */
export class RepositoryRoomTaken extends DomainError {
  constructor(reservedBytes: number) {
    super(
      LIMIT_ERRORS.concurrency_limit_exceeded,
      `Other pushes have reserved ${reservedBytes} bytes, and too few are left for this push.`,
      {
        retryAfterSeconds: 5,
        hint: 'Push again when they have ended.',
        details: { policy: 'push_room', reserved_bytes: reservedBytes },
      },
    );
  }
}

export class GitServiceUnknown extends DomainError {
  constructor() {
    super(REPOSITORY_ERRORS.git_service_not_offered, 'Repositories are served over smart HTTP only.', {
      hint: 'Use git 1.6.6 or later: git clone <repo_url>.',
    });
  }
}

export class TooManyGitCalls extends DomainError {
  constructor(limit: number) {
    super(LIMIT_ERRORS.concurrency_limit_exceeded, `Limit of concurrent clones and pushes reached: ${limit}.`, {
      retryAfterSeconds: 2,
      hint: 'Retry when one of them has ended.',
      details: { policy: 'git_concurrency', limit, remaining: 0 },
    });
  }
}
