import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import type { FieldFault } from '../../platform/errors/request-invalid.js';
import { OPERATOR_ERRORS } from '../operators/operators.errors.js';
import { LIMIT_ERRORS, LimitExceeded, type LimitFacts } from '../limits/limits.errors.js';

export const SANDBOX_ERRORS = defineErrors({
  execution_not_found: { type: 'not_found_error', status: 404, title: 'Execution not found.' },
  artifact_not_found: { type: 'not_found_error', status: 404, title: 'Artifact not found.' },
  execution_already_over: { type: 'conflict_error', status: 409, title: 'The execution has already ended.' },
  sandbox_daily_limit_exceeded: {
    type: 'rate_limit_error',
    status: 429,
    title: 'The daily limit of anonymous sandbox executions is reached.',
  },
  package_install_failed: {
    type: 'api_error',
    status: 422,
    title: 'The packages of an execution could not be installed.',
  },
  packages_unavailable: { type: 'api_error', status: 503, title: 'Packages are temporarily unavailable.' },
  sandbox_session_busy: { type: 'conflict_error', status: 409, title: 'The sandbox session is busy.' },
  sandbox_session_full: { type: 'conflict_error', status: 409, title: 'The disk of the sandbox session is full.' },
  sandbox_session_not_found: { type: 'not_found_error', status: 404, title: 'Sandbox session not found.' },
  sandbox_session_over: { type: 'conflict_error', status: 409, title: 'The sandbox session has ended.' },
  sandbox_unavailable: { type: 'api_error', status: 503, title: 'The sandbox is temporarily unavailable.' },
  session_file_not_found: { type: 'not_found_error', status: 404, title: 'File of the sandbox session not found.' },
});

/** The address has used its anonymous runs of the day (service document §8). */
export class SandboxDailyLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(
      SANDBOX_ERRORS.sandbox_daily_limit_exceeded,
      `Daily limit reached: ${facts.limit} anonymous sandbox executions per IP address.`,
      facts,
      'Try again after 00:00 UTC.',
    );
  }
}

/** One address or one organization must not occupy all workers. */
export class SandboxConcurrencyLimitExceeded extends LimitExceeded {
  constructor(holder: 'IP address' | 'organization', facts: LimitFacts) {
    super(
      LIMIT_ERRORS.concurrency_limit_exceeded,
      `Concurrency limit reached: ${facts.limit} sandbox executions at a time per ${holder}.`,
      facts,
      holder === 'organization'
        ? 'Wait for an execution to end, cancel one, or upgrade.'
        : 'Wait for an execution to end.',
    );
  }
}

/** Code never runs without isolation. */
export class SandboxUnavailable extends DomainError {
  constructor(missing: readonly string[], cause?: unknown) {
    super(
      SANDBOX_ERRORS.sandbox_unavailable,
      'The sandbox is temporarily unavailable.',
      {
        retryAfterSeconds: 5,
        hint: missing.length === 0 ? 'Retry after 5 s.' : `Missing: ${missing.join('; ')}. Retry after 5 s.`,
        ...(missing.length === 0 ? {} : { details: { missing } }),
      },
      { cause },
    );
  }
}

/** The run would wait longer than allowed. `Retry-After` says when it would be admitted if no other run arrived. */
export class SandboxBusy extends DomainError {
  constructor(expectedMs: number, withinMs: number, cause?: unknown) {
    const retryAfterSeconds = Math.max(1, Math.ceil((expectedMs - withinMs) / 1000));
    super(
      SANDBOX_ERRORS.sandbox_unavailable,
      `The sandbox is busy: the run would wait longer than ${withinMs} ms in the queue.`,
      {
        retryAfterSeconds,
        hint: `The execution was not counted. Retry after ${retryAfterSeconds} s.`,
        details: { expected_wait_seconds: Math.ceil(expectedMs / 1000), max_wait_seconds: Math.ceil(withinMs / 1000) },
      },
      { cause },
    );
  }
}

/** No worker has room for another session, or none for another one of this organization. */
export class NoRoomForSession extends DomainError {
  /** @param live how many sessions the organization has. */
  constructor({ withinMs, live }: { readonly withinMs: number; readonly live: number }, cause?: unknown) {
    super(
      SANDBOX_ERRORS.sandbox_unavailable,
      `No worker had room for the session within ${withinMs / 1000} s.`,
      {
        retryAfterSeconds: 5,
        hint:
          live === 0
            ? 'Retry after 5 s, or send a larger queue_timeout_ms.'
            : 'End a session that you no longer need, or retry after 5 s. An organization with sessions gets another ' +
              'one only where as much room stays free for others.',
        details: { max_wait_seconds: withinMs / 1000, live_sessions: live },
      },
      { cause },
    );
  }
}

/** npm or pip refused the packages; asking again gives the same. */
export class ExecutionPackagesRefused extends DomainError {
  /** @param log the last lines of npm or pip. */
  constructor(message: string, log: string) {
    super(SANDBOX_ERRORS.package_install_failed, message, {
      details: { log },
      hint: 'Read details.log, and correct the names and versions. Nothing ran.',
    });
  }
}

/** The packages are not installed yet, or no worker can install them now. */
export class PackagesUnavailable extends DomainError {
  constructor(reason: string, { retryAfterSeconds }: { readonly retryAfterSeconds: number }) {
    super(SANDBOX_ERRORS.packages_unavailable, reason, {
      retryAfterSeconds,
      hint: `Nothing ran. Retry after ${retryAfterSeconds} s, or run the code without packages.`,
    });
  }
}

/** The execution requests more time or memory than the organization's plan allows. */
export class ExecutionBeyondPlan extends DomainError {
  constructor(faults: readonly FieldFault[], hint: string) {
    super(GENERIC_ERRORS.invalid_request, faults[0]!.message, { details: faults, hint });
  }
}

/** The operator lets no code of tenants connect to anything. */
export class ExecutionNetworkOff extends DomainError {
  constructor() {
    super(OPERATOR_ERRORS.feature_disabled, 'The network of executions and sessions is disabled by the operator.', {
      hint: 'Leave out network, or ask the operator to allow it with APPS_NETWORK=auto.',
      details: { feature: 'sandbox_network' },
    });
  }
}

/** An execution of another organization gets the same answer as one that does not exist. */
export class ExecutionNotFound extends DomainError {
  constructor() {
    super(SANDBOX_ERRORS.execution_not_found, 'No execution has this ID.', {
      hint: 'Executions are kept for 30 days. List them with GET /api/v1/sandbox/executions.',
    });
  }
}

export class ArtifactNotFound extends DomainError {
  constructor() {
    super(SANDBOX_ERRORS.artifact_not_found, 'The execution has no artifact with this ID.', {
      hint: 'Artifacts are kept for 24 hours. List them with GET /api/v1/sandbox/executions/{execution_id}/artifacts.',
    });
  }
}

export class ExecutionAlreadyOver extends DomainError {
  constructor(status: string) {
    super(SANDBOX_ERRORS.execution_already_over, 'The execution has already ended and cannot be cancelled.', {
      details: { status },
    });
  }
}

/** A session of another organization gets the same answer as one that does not exist. */
export class SandboxSessionNotFound extends DomainError {
  constructor() {
    super(SANDBOX_ERRORS.sandbox_session_not_found, 'No sandbox session has this ID.', {
      hint: 'Sessions are kept for 30 days. List them with GET /api/v1/sandbox/sessions.',
    });
  }
}

/** The variables and files of the session are gone. */
export class SandboxSessionOver extends DomainError {
  constructor(status: string, endReason: string | null) {
    super(SANDBOX_ERRORS.sandbox_session_over, 'The sandbox session has ended. Its variables and files are gone.', {
      hint: 'Create another session.',
      details: { status, ...(endReason === null ? {} : { end_reason: endReason }) },
    });
  }
}

/** Runs of a session take turns. This one would have waited longer than it may. */
export class SandboxSessionBusy extends DomainError {
  constructor() {
    super(SANDBOX_ERRORS.sandbox_session_busy, 'The session is busy with another run or command.', {
      hint: 'Wait until it has ended, or cancel it. To run code at the same time, use another session.',
    });
  }
}

export class SandboxSessionFull extends DomainError {
  constructor() {
    super(SANDBOX_ERRORS.sandbox_session_full, 'The session has no room for this file.', {
      hint: 'Delete files of the session.',
    });
  }
}

export class SessionFileMissing extends DomainError {
  constructor() {
    super(SANDBOX_ERRORS.session_file_not_found, 'The session has no file at this path.', {
      hint: 'List the files with GET /api/v1/sandbox/sessions/{session_id}/files.',
    });
  }
}

const WAYS_ON = {
  'sandbox sessions': 'End a session, or upgrade.',
  'choices of packages in sandbox sessions': 'End a session with other packages, or use the packages of another one.',
  'transfers of session files': 'Wait until a transfer has ended.',
};

/** An organization has as many sessions or choices of packages, or transfers as many files, as it may. */
export class SandboxSessionLimitReached extends LimitExceeded {
  constructor(what: keyof typeof WAYS_ON, facts: LimitFacts) {
    super(
      LIMIT_ERRORS.concurrency_limit_exceeded,
      `Concurrency limit reached: ${facts.limit} ${what} at a time per organization.`,
      facts,
      WAYS_ON[what],
    );
  }
}

export class SessionFileBeyondLimit extends DomainError {
  constructor(limitBytes: number) {
    super(GENERIC_ERRORS.payload_too_large, `The file is larger than ${limitBytes} bytes.`, {
      hint: 'Read or write it in parts, with code or a command of the shell.',
      details: { limit_bytes: limitBytes },
    });
  }
}
