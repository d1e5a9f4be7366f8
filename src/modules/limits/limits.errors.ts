import { defineErrors, type ErrorDefinition } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';

export const LIMIT_ERRORS = defineErrors({
  burst_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'Too many requests in a short time.' },
  daily_limit_exceeded: {
    type: 'rate_limit_error',
    status: 429,
    title: 'The daily call limit is reached.',
    dashboard: '/~/usage',
  },
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

/** A caller that waits `retryAfterSeconds` is admitted again, unless it keeps calling meanwhile. */
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
      'Too many calls in a short time.',
      facts,
      'Wait for the seconds in Retry-After, then retry.',
    );
  }
}

export class DailyLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(
      LIMIT_ERRORS.daily_limit_exceeded,
      `Daily call limit reached: ${facts.limit} calls.`,
      facts,
      'The budget resets at 00:00 UTC. Wait until then, or upgrade for a larger one.',
    );
  }
}

/** Refuses attempts at operations that send messages, create accounts or could guess secrets. */
export class TooManyAttempts extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(
      LIMIT_ERRORS.burst_limit_exceeded,
      'Too many attempts.',
      facts,
      'Wait for the seconds in Retry-After, then retry.',
    );
  }
}
