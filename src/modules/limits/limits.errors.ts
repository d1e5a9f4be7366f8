import { defineErrors, type ErrorDefinition } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';

export const LIMIT_ERRORS = defineErrors({
  burst_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'Too many requests in a short time.' },
  daily_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'The daily call limit is reached.' },
  concurrency_limit_exceeded: {
    type: 'rate_limit_error',
    status: 429,
    title: 'Too many operations are running at once.',
  },
});

/** Refusals that any call under `/api/v1` can get. */
export const ANY_CALL: readonly ErrorDefinition[] = [
  LIMIT_ERRORS.burst_limit_exceeded,
  LIMIT_ERRORS.daily_limit_exceeded,
  GENERIC_ERRORS.internal_error,
  GENERIC_ERRORS.service_unavailable,
];

export interface LimitFacts {
  /** `burst`, `daily`, or the name of an allowance. */
  readonly policy: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: Date;
  readonly retryAfterSeconds: number;
  readonly upgradeUrl: string;
}

/** A caller who waits `retryAfterSeconds` is let in again, unless it goes on calling meanwhile. */
export abstract class LimitExceeded extends DomainError {
  constructor(definition: ErrorDefinition, message: string, facts: LimitFacts, hint: string) {
    super(definition, message, {
      hint,
      upgradeUrl: facts.upgradeUrl,
      retryAfterSeconds: facts.retryAfterSeconds,
      details: {
        policy: facts.policy,
        limit: facts.limit,
        remaining: facts.remaining,
        resets_at: facts.resetsAt.toISOString(),
      },
    });
  }
}

export class BurstLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(
      LIMIT_ERRORS.burst_limit_exceeded,
      'Too many calls at once.',
      facts,
      'Slow down; Retry-After says for how long.',
    );
  }
}

export class DailyLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(
      LIMIT_ERRORS.daily_limit_exceeded,
      `The ${facts.limit} calls of this day are used up.`,
      facts,
      'Read x-service-calls-remaining as you go. The budget starts afresh at 00:00 UTC; a larger plan has a larger one.',
    );
  }
}

/** Of attempts that send messages, make accounts or guess at secrets. */
export class TooManyAttempts extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(LIMIT_ERRORS.burst_limit_exceeded, 'Too many attempts.', facts, 'Wait for the time that Retry-After names.');
  }
}
