import { LimitExceeded, type LimitFacts } from '../../limits/limits.errors.js';

export class SignInLimitExceeded extends LimitExceeded {
  constructor(facts: LimitFacts) {
    super(
      'sign_in_limit_exceeded',
      'Too many attempts to sign in.',
      facts,
      'Wait for the time that Retry-After names, or set a new password.',
    );
  }
}
