import { DomainError } from '../../platform/errors/domain-error.js';

export class OpsTaskNotFound extends DomainError {
  constructor() {
    super('ops_task_not_found', 'There is no such task.', { hint: 'GET /ops/tasks lists them.' });
  }
}

/** Somebody else holds the task (service document §7). */
export class TaskAlreadyClaimed extends DomainError {
  constructor(holder: string, expiresAt: Date) {
    super('task_already_claimed', `${holder} has claimed the task.`, {
      hint: 'Wait until the claim is released or over, or take another task.',
      details: { holder, expiresAt: expiresAt.toISOString() },
    });
  }
}

export class TaskNotClaimed extends DomainError {
  constructor() {
    super('task_not_claimed', 'You do not hold the task: nobody does.', {
      hint: 'Claim it first; a claim that was not renewed in time is over.',
    });
  }
}

export class TaskAlreadyResolved extends DomainError {
  constructor(resolvedAt: Date, resolvedBy: string) {
    super('task_already_resolved', 'The task is resolved.', {
      hint: 'If the fault is still there, the next report of it opens a new task.',
      details: { resolvedAt: resolvedAt.toISOString(), resolvedBy },
    });
  }
}
