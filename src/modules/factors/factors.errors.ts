import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';

export const FACTOR_ERRORS = defineErrors({
  invalid_factor: { type: 'auth_error', status: 401, title: 'The code or the passkey was refused.' },
  factor_not_found: { type: 'not_found_error', status: 404, title: 'Factor not found.' },
  factor_limit_reached: {
    type: 'conflict_error',
    status: 409,
    title: 'The account has as many passkeys as it can have.',
  },
});

/**
 * The response is the same for a wrong code, one that was used, an unknown passkey, one of another account and a forged
 * one, so that it tells not what exists.
 */
export class FactorRefused extends DomainError {
  constructor() {
    super(FACTOR_ERRORS.invalid_factor, 'The code or the passkey is wrong, was already used, or has expired.', {
      hint: 'Try again with the next code or another factor. Each code works once.',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
}

/** The response is the same for an unknown factor and for one of another person. */
export class FactorNotFound extends DomainError {
  constructor() {
    super(FACTOR_ERRORS.factor_not_found, 'Factor not found.', {
      hint: 'List your factors with GET /api/v1/me/factors.',
    });
  }
}

export class TooManyPasskeys extends DomainError {
  constructor(limit: number) {
    super(FACTOR_ERRORS.factor_limit_reached, `An account can have ${limit} passkeys.`, {
      hint: 'Remove one with DELETE /api/v1/me/factors/{factor_id} first.',
      details: { limit },
    });
  }
}
