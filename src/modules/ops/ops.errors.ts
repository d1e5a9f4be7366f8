import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';

export const OPS_ERRORS = defineErrors({
  ops_task_not_found: { type: 'not_found_error', status: 404, title: 'Task not found.' },
  task_already_claimed: { type: 'conflict_error', status: 409, title: 'Another caller has claimed the task.' },
  task_not_claimed: { type: 'conflict_error', status: 409, title: 'The caller has not claimed the task.' },
  task_already_resolved: { type: 'conflict_error', status: 409, title: 'The task is already resolved.' },
});

export class OpsTaskNotFound extends DomainError {
  constructor() {
    super(OPS_ERRORS.ops_task_not_found, 'There is no such task.', { hint: 'GET /ops/tasks lists them.' });
  }
}

/** Somebody else holds the task (service document §7). */
export class TaskAlreadyClaimed extends DomainError {
  constructor(holder: string, expiresAt: Date) {
    super(OPS_ERRORS.task_already_claimed, `${holder} has claimed the task.`, {
      hint: 'Wait until the claim is released or over, or take another task.',
      details: { holder, expiresAt: expiresAt.toISOString() },
    });
  }
}

export class TaskNotClaimed extends DomainError {
  constructor() {
    super(OPS_ERRORS.task_not_claimed, 'You do not hold the task: nobody does.', {
      hint: 'Claim it first; a claim that was not renewed in time is over.',
    });
  }
}

export class TaskAlreadyResolved extends DomainError {
  constructor(resolvedAt: Date, resolvedBy: string) {
    super(OPS_ERRORS.task_already_resolved, 'The task is resolved.', {
      hint: 'If the fault is still there, the next report of it opens a new task.',
      details: { resolvedAt: resolvedAt.toISOString(), resolvedBy },
    });
  }
}
