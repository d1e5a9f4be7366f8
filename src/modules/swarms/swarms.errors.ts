import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { AGENT_ERRORS } from '../agents/agents.errors.js';
import { LIMIT_ERRORS } from '../limits/limits.errors.js';
import { type FieldFault, RequestInvalid } from '../../platform/errors/request-invalid.js';

export const SWARM_ERRORS = defineErrors({
  swarm_not_found: { type: 'not_found_error', status: 404, title: 'Swarm not found.' },
  swarm_already_over: { type: 'conflict_error', status: 409, title: 'The swarm is already over.' },
  task_not_found: { type: 'not_found_error', status: 404, title: 'Task not found.' },
  task_not_open: { type: 'conflict_error', status: 409, title: 'The task cannot be claimed or changed in this state.' },
});

export class SwarmNotFound extends DomainError {
  constructor() {
    super(SWARM_ERRORS.swarm_not_found, 'Swarm not found.', { hint: 'List the swarms with GET /api/v1/swarms.' });
  }
}

export class SwarmAlreadyOver extends DomainError {
  constructor(state: string) {
    super(SWARM_ERRORS.swarm_already_over, `The swarm is already over: ${state}.`, {
      hint: 'Create another swarm with POST /api/v1/swarms.',
      details: { state },
    });
  }
}

export class TaskNotFound extends DomainError {
  constructor() {
    super(SWARM_ERRORS.task_not_found, 'Task not found.', {
      hint: 'List the tasks of the swarm with GET /api/v1/swarms/{swarm_id}/tasks.',
    });
  }
}

/** The answer is the same for agents of other organizations and for those that do not exist. */
export class SwarmAgentsNotFound extends DomainError {
  constructor(paths: readonly string[]) {
    super(AGENT_ERRORS.agent_not_found, `Agent not found: ${paths.join(', ')}.`, {
      hint: 'List the agents with GET /api/v1/agents; x-service-org selects the organization.',
      details: { paths },
    });
  }
}

/** Another worker holds the task. */
export class TaskHeldByAnother extends DomainError {
  constructor(leaseExpiresAt: Date | null) {
    super(GENERIC_ERRORS.task_already_claimed, 'Another worker has claimed the task.', {
      hint: 'Claim the next open task with POST /api/v1/swarms/{swarm_id}/tasks/claim.',
      ...(leaseExpiresAt === null ? {} : { details: { lease_expires_at: leaseExpiresAt.toISOString() } }),
    });
  }
}

/** The caller's claim has another fence, or its lease has expired. */
export class TaskClaimLost extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.task_not_claimed, 'No claim with this fence holds the task.', {
      hint: 'Stop working on the task: its lease has expired, or it is over. Claim it again to continue.',
    });
  }
}

export class TaskNotOpen extends DomainError {
  constructor(state: string) {
    super(SWARM_ERRORS.task_not_open, `The task is ${state}.`, {
      hint:
        state === 'blocked'
          ? 'It opens when all tasks that it needs are done.'
          : 'Claim the next open task with POST /api/v1/swarms/{swarm_id}/tasks/claim.',
      details: { state },
    });
  }
}

/** The organization has as many active swarms as it can have. */
export class TooManySwarms extends DomainError {
  constructor(limit: number) {
    super(LIMIT_ERRORS.concurrency_limit_exceeded, `Limit of active swarms reached: ${limit}.`, {
      hint: 'Wait for swarms to end, or cancel some of them.',
      retryAfterSeconds: 10,
      details: { policy: 'active_swarms', limit, remaining: 0 },
    });
  }
}

/** Tasks, needs or results of tasks that a swarm cannot have. */
export class BoardRefuses extends RequestInvalid {
  constructor(faults: readonly Omit<FieldFault, 'in'>[]) {
    super(faults.map((fault) => ({ ...fault, in: 'body' as const })));
  }
}
