import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import type { FieldFault } from '../../platform/errors/request-invalid.js';
import { LIMIT_ERRORS, LimitExceeded, type LimitFacts } from '../limits/limits.errors.js';

export const SANDBOX_ERRORS = defineErrors({
  execution_not_found: { type: 'not_found_error', status: 404, title: 'Execution not found.' },
  execution_already_over: { type: 'conflict_error', status: 409, title: 'The execution has already ended.' },
  sandbox_daily_limit_exceeded: {
    type: 'rate_limit_error',
    status: 429,
    title: 'The daily limit of anonymous sandbox executions is reached.',
  },
  sandbox_unavailable: { type: 'api_error', status: 503, title: 'The sandbox is temporarily unavailable.' },
});

/** The eleventh run of a day from one address (service document §8). */
export class SandboxDailyLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(
      SANDBOX_ERRORS.sandbox_daily_limit_exceeded,
      `The ${facts.limit} anonymous sandbox executions of this day are used up for this IP address.`,
      facts,
      'They start afresh at 00:00 UTC.',
    );
  }
}

/** Neither one address nor one organization must hold all workers. */
export class SandboxConcurrencyLimitExceeded extends LimitExceeded {
  constructor(holder: 'IP address' | 'organization', facts: LimitFacts) {
    super(
      LIMIT_ERRORS.concurrency_limit_exceeded,
      `At most ${facts.limit} sandbox executions can run at once for one ${holder}.`,
      facts,
      holder === 'organization'
        ? 'Wait for one of them to end, or cancel one; a larger plan has more places.'
        : 'Wait for one of them to end.',
    );
  }
}

/** Code is never run without isolation: where that is missing, nothing runs. */
export class SandboxUnavailable extends DomainError {
  constructor(missing: readonly string[], cause?: unknown) {
    super(
      SANDBOX_ERRORS.sandbox_unavailable,
      'The sandbox cannot run code now.',
      {
        retryAfterSeconds: 5,
        hint: missing.length === 0 ? 'Try again; the execution was not counted.' : `Missing: ${missing.join('; ')}.`,
        ...(missing.length === 0 ? {} : { details: { missing } }),
      },
      { cause },
    );
  }
}

/** The run would wait longer than it may: `Retry-After` says when it would be let in if nothing else came. */
export class SandboxBusy extends DomainError {
  constructor(expectedMs: number, withinMs: number, cause?: unknown) {
    super(
      SANDBOX_ERRORS.sandbox_unavailable,
      `The sandbox is busy: the run would wait longer than ${withinMs} ms to begin.`,
      {
        retryAfterSeconds: Math.max(1, Math.ceil((expectedMs - withinMs) / 1000)),
        hint: 'Send the request again after Retry-After seconds. It was not counted.',
        details: { expected_wait_seconds: Math.ceil(expectedMs / 1000), max_wait_seconds: Math.ceil(withinMs / 1000) },
      },
      { cause },
    );
  }
}

/** An execution asks for more time or memory than one may have in the plan of its organization. */
export class ExecutionBeyondPlan extends DomainError {
  constructor(faults: readonly FieldFault[], hint: string) {
    super(GENERIC_ERRORS.invalid_request, faults[0]!.message, { details: faults, hint });
  }
}

/** The same answer for one of another organization as for one that never was. */
export class ExecutionNotFound extends DomainError {
  constructor() {
    super(SANDBOX_ERRORS.execution_not_found, 'There is no such execution.', {
      hint: 'Executions are kept for 30 days; GET /api/v1/sandbox/executions lists them.',
    });
  }
}

export class ExecutionAlreadyOver extends DomainError {
  constructor(status: string) {
    super(SANDBOX_ERRORS.execution_already_over, 'The execution is over and cannot be cancelled.', {
      details: { status },
    });
  }
}
