import { DomainError } from '../../platform/errors/domain-error.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';

/** Of people and organizations, whose names are one namespace. */
export class UsernameTaken extends DomainError {
  constructor() {
    super('username_taken', 'This username is taken.', { hint: 'Choose another one; organizations count as well.' });
  }
}

export class EmailTaken extends DomainError {
  constructor() {
    super('email_taken', 'There is an account with this e-mail address.', {
      hint: 'Sign in, or set a new password with POST /api/v1/auth/password/forgot.',
    });
  }
}

/** The same whether there is no such account or the password is another. */
export class CredentialsInvalid extends DomainError {
  constructor() {
    super('invalid_credentials', 'The name or the password is wrong.', {
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
