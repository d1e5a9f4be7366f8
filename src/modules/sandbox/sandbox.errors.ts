import { DomainError } from '../../platform/errors/domain-error.js';
import { LimitExceeded, type LimitFacts } from '../limits/limits.errors.js';

/** The eleventh run of a day from one address (service document §8). */
export class SandboxDailyLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super('sandbox_daily_limit_exceeded', `The ${facts.limit} anonymous sandbox executions of this day are used up for this IP address.`, facts,
      'They start afresh at 00:00 UTC.');
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
