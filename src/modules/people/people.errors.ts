import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';

export const PEOPLE_ERRORS = defineErrors({
  invalid_credentials: { type: 'auth_error', status: 401, title: 'The username or the password is wrong.' },
  username_taken: { type: 'conflict_error', status: 409, title: 'The username is taken.' },
  email_taken: { type: 'conflict_error', status: 409, title: 'The email address is taken.' },
});

/** Usernames and organization slugs share one namespace. */
export class UsernameTaken extends DomainError {
  constructor() {
    super(PEOPLE_ERRORS.username_taken, 'This username is taken by a user or an organization.', {
      hint: 'Choose another username.',
    });
  }
}

export class EmailTaken extends DomainError {
  constructor() {
    super(PEOPLE_ERRORS.email_taken, 'An account with this email address already exists.', {
      hint: 'Sign in, or reset the password with POST /api/v1/auth/password/forgot.',
    });
  }
}

/** The response is the same for an unknown account and for a wrong password. */
export class CredentialsInvalid extends DomainError {
  constructor() {
    super(PEOPLE_ERRORS.invalid_credentials, 'The username, email address or password is wrong.', {
      hint: 'Check both, or reset the password with POST /api/v1/auth/password/forgot.',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
}

/** The password breaks a rule that depends on the account. The error never repeats the password. */
export class PasswordRefused extends RequestInvalid {
  constructor(field: string, code: 'contains_account' | 'too_common', reason: string) {
    super([{ path: field, in: 'body', code, message: `${field} ${reason}` }]);
  }
}
