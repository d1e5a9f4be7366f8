import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';

export const PEOPLE_ERRORS = defineErrors({
  invalid_credentials: { type: 'auth_error', status: 401, title: 'The username or the password is wrong.' },
  username_taken: { type: 'conflict_error', status: 409, title: 'The username is taken.' },
  email_taken: { type: 'conflict_error', status: 409, title: 'The email address is taken.' },
});

/** Of people and organizations, whose names are one namespace. */
export class UsernameTaken extends DomainError {
  constructor() {
    super(PEOPLE_ERRORS.username_taken, 'This username is taken.', {
      hint: 'Choose another one; organizations count as well.',
    });
  }
}

export class EmailTaken extends DomainError {
  constructor() {
    super(PEOPLE_ERRORS.email_taken, 'There is an account with this e-mail address.', {
      hint: 'Sign in, or set a new password with POST /api/v1/auth/password/forgot.',
    });
  }
}

/** The same whether there is no such account or the password is another. */
export class CredentialsInvalid extends DomainError {
  constructor() {
    super(PEOPLE_ERRORS.invalid_credentials, 'The name or the password is wrong.', {
      hint: 'A forgotten password is replaced with POST /api/v1/auth/password/forgot.',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
}

/** A rule that the form of the field alone cannot show. The password itself is never repeated. */
export class PasswordRefused extends RequestInvalid {
  constructor(field: string, code: 'contains_account' | 'too_common', reason: string) {
    super([{ path: field, in: 'body', code, message: `${field} ${reason}` }]);
  }
}
