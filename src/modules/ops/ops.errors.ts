import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';

export const OPS_ERRORS = defineErrors({
  ops_task_not_found: { type: 'not_found_error', status: 404, title: 'Task not found.' },
  failed_job_not_found: { type: 'not_found_error', status: 404, title: 'Failed job not found.' },
  task_already_resolved: { type: 'conflict_error', status: 409, title: 'The task is already resolved.' },
});

export class OpsTaskNotFound extends DomainError {
  constructor() {
    super(OPS_ERRORS.ops_task_not_found, 'Task not found.', { hint: 'List the tasks with GET /ops/tasks.' });
  }
}

export class FailedJobNotFound extends DomainError {
  constructor() {
    super(OPS_ERRORS.failed_job_not_found, 'The queue has no failed job with this id.', {
      hint: 'List the failed jobs with GET /ops/errors. A job that was retried before is not among them.',
    });
  }
}

/** Another agent holds the task (service document §7). */
export class TaskAlreadyClaimed extends DomainError {
  constructor(holder: string, expiresAt: Date) {
    super(GENERIC_ERRORS.task_already_claimed, `${holder} has claimed the task.`, {
      hint: 'Wait until the claim is released or expires, or claim another task.',
      details: { holder, expiresAt: expiresAt.toISOString() },
    });
  }
}

export class TaskNotClaimed extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.task_not_claimed, 'The task is not claimed.', {
      hint: 'Claim it first, and renew the claim before it expires.',
    });
  }
}

export class TaskAlreadyResolved extends DomainError {
  constructor(resolvedAt: Date, resolvedBy: string) {
    super(OPS_ERRORS.task_already_resolved, 'The task is already resolved.', {
      hint: 'If the fault persists, claim the task that its next report opens.',
      details: { resolvedAt: resolvedAt.toISOString(), resolvedBy },
    });
  }
}
