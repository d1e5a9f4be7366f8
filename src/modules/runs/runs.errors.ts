import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { LIMIT_ERRORS } from '../limits/limits.errors.js';

export const RUN_ERRORS = defineErrors({
  run_not_found: { type: 'not_found_error', status: 404, title: 'Run not found.' },
  approval_not_found: { type: 'not_found_error', status: 404, title: 'Approval not found.' },
  agent_paused: { type: 'conflict_error', status: 409, title: 'The agent is paused.' },
  run_already_over: { type: 'conflict_error', status: 409, title: 'The run is over.' },
  approval_already_decided: { type: 'conflict_error', status: 409, title: 'The approval was decided before.' },
  approval_expired: { type: 'conflict_error', status: 409, title: 'The approval has expired.' },
  approval_not_allowed: {
    type: 'authorization_error',
    status: 403,
    title: 'The caller may not decide this approval.',
  },
});

export class RunNotFound extends DomainError {
  constructor() {
    super(RUN_ERRORS.run_not_found, 'Run not found.', { hint: 'List the runs with GET /api/v1/runs.' });
  }
}

export class ApprovalNotFound extends DomainError {
  constructor() {
    super(RUN_ERRORS.approval_not_found, 'Approval not found.', {
      hint: 'List the approvals with GET /api/v1/approvals.',
    });
  }
}

/** A person has paused it, or the plan has become too small for it. */
export class AgentPaused extends DomainError {
  constructor(name: string) {
    super(RUN_ERRORS.agent_paused, `The agent ${name} is paused.`, {
      hint: 'Resume it with PATCH /api/v1/agents/{agent_id} and {"state": "active"}. Or choose a larger plan.',
    });
  }
}

export class RunAlreadyOver extends DomainError {
  constructor(state: string) {
    super(RUN_ERRORS.run_already_over, `The run is over: ${state}.`, {
      hint: 'To go on with the conversation, start a run with "continues" set to the id of this one.',
      details: { state },
    });
  }
}

export class ApprovalAlreadyDecided extends DomainError {
  constructor(state: string) {
    super(RUN_ERRORS.approval_already_decided, `The approval was decided before: ${state}.`, { details: { state } });
  }
}

export class ApprovalExpired extends DomainError {
  constructor(at: Date) {
    super(RUN_ERRORS.approval_expired, `The approval expired at ${at.toISOString()}.`, {
      hint: 'The agent has been notified. Start a new run, or set a longer approval_expires_seconds in a new version.',
      details: { expired_at: at.toISOString() },
    });
  }
}

/** A run never approves anything, not even with all scopes. */
export class ApprovalNotAllowed extends DomainError {
  constructor() {
    super(RUN_ERRORS.approval_not_allowed, 'Runs of agents cannot decide approvals.', {
      hint: 'A person, or a program with a key with agents:write, decides them.',
    });
  }
}

export class TooManyRuns extends DomainError {
  constructor(limit: number) {
    super(LIMIT_ERRORS.concurrency_limit_exceeded, `Limit of active runs reached: ${limit}.`, {
      hint: 'Wait for runs to end, or cancel some of them.',
      retryAfterSeconds: 10,
      details: { policy: 'active_runs', limit, remaining: 0 },
    });
  }
}

/** The MCP server of a tenant is unreachable, or does not speak the protocol. */
export class McpServerFailed extends DomainError {
  constructor(reason: string, cause: unknown) {
    super(
      GENERIC_ERRORS.upstream_error,
      reason,
      { hint: 'Check the URL and the headers of the MCP server. It must answer Streamable HTTP.' },
      { cause },
    );
  }
}
