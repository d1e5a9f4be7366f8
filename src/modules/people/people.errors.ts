import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';

export const PEOPLE_ERRORS = defineErrors({
  invalid_credentials: { type: 'auth_error', status: 401, title: 'The username or the password is wrong.' },
  account_not_found: { type: 'not_found_error', status: 404, title: 'Account not found.' },
  username_taken: { type: 'conflict_error', status: 409, title: 'The username is taken.' },
  email_taken: { type: 'conflict_error', status: 409, title: 'The email address is taken.' },
  confirmation_mismatch: {
    type: 'validation_error',
    status: 400,
    title: 'What confirms a deletion names another account.',
  },
  email_change_not_found: {
    type: 'not_found_error',
    status: 404,
    title: 'No change of the email address is in progress.',
  },
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

export class AccountNotFound extends DomainError {
  constructor() {
    super(PEOPLE_ERRORS.account_not_found, 'No account has this username or id.', {
      hint: 'Find the usernames of owners with GET /ops/organizations/{org_id}.',
    });
  }
}

export class EmailChangeNotFound extends DomainError {
  constructor() {
    super(PEOPLE_ERRORS.email_change_not_found, 'No change of your email address is in progress.', {
      hint: 'Begin one with POST /api/v1/me/email.',
    });
  }
}

/** What was typed to confirm the deletion of an account is not its username. */
export class ConfirmationMismatch extends DomainError {
  constructor() {
    super(PEOPLE_ERRORS.confirmation_mismatch, 'The username is not that of your account.', {
      hint: 'Send your own username. GET /api/v1/me returns it.',
    });
  }
}

/** Upper and lower case are equal. It says nothing about other accounts. */
export class EmailUnchanged extends RequestInvalid {
  constructor() {
    super([{ path: 'email', in: 'body', code: 'unchanged', message: 'email must differ from your current address' }]);
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
  constructor(field: string, code: 'contains_account' | 'contains_service' | 'too_common', reason: string) {
    super([{ path: field, in: 'body', code, message: `${field} ${reason}` }]);
  }
}
