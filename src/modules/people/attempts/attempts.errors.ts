import { defineErrors } from '../../../platform/errors/define-errors.js';
import { LimitExceeded, type LimitFacts } from '../../limits/limits.errors.js';

export const ATTEMPT_ERRORS = defineErrors({
  sign_in_limit_exceeded: { type: 'rate_limit_error', status: 429, title: 'Too many sign-in attempts.' },
});

export class SignInLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(
      ATTEMPT_ERRORS.sign_in_limit_exceeded,
      'Too many sign-in attempts.',
      facts,
      'Wait as long as Retry-After says, or reset the password.',
    );
  }
}
