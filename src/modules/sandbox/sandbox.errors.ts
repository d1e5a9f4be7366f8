import { DomainError } from '../../platform/errors/domain-error.js';
import { LimitExceeded, type LimitFacts } from '../limits/limits.errors.js';

/** The eleventh run of a day from one address (service document §8). */
export class SandboxDailyLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super('sandbox_daily_limit_exceeded', `The ${facts.limit} anonymous sandbox executions of this day are used up for this IP address.`, facts,
      'They start afresh at 00:00 UTC.');
  }
}

/** One address must not hold all workers. */
export class SandboxConcurrencyLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super('concurrency_limit_exceeded', `At most ${facts.limit} sandbox executions can run at once for one IP address.`, facts,
      'Wait for one of them to end.');
  }
}

/** Code is never run without isolation: where that is missing, nothing runs. */
export class SandboxUnavailable extends DomainError {
  constructor(missing: readonly string[], cause?: unknown) {
    super('sandbox_unavailable', 'The sandbox cannot run code now.', {
      retryAfterSeconds: 5,
      hint: missing.length === 0 ? 'Try again; the execution was not counted.' : `Missing: ${missing.join('; ')}.`,
      ...(missing.length === 0 ? {} : { details: { missing } }),
    }, { cause });
  }
}

/** More is waiting than can be run in time. */
export class SandboxBusy extends DomainError {
  constructor(expectedWaitSeconds: number) {
    super('sandbox_unavailable', 'The sandbox has more to run than it can begin in time.', {
      retryAfterSeconds: Math.min(60, Math.max(1, expectedWaitSeconds)),
      hint: 'Try again after the time that Retry-After names; the execution was not counted.',
      details: { expected_wait_seconds: expectedWaitSeconds },
    });
  }
}
