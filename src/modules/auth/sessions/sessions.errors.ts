import { DomainError } from '../../../platform/errors/domain-error.js';
import { CREDENTIAL_ERRORS } from '../auth.errors.js';

/** A token that was rotated away has two holders, and nothing tells the owner from a thief: the session ends for both. */
export class SessionTokenReused extends DomainError {
  constructor() {
    super(
      CREDENTIAL_ERRORS.invalid_session,
      'This session token was replaced by a newer one. The session has been ended, because the old one may have been copied.',
      {
        hint: 'Sign in again with POST /api/v1/auth/sign-in.',
        headers: { 'WWW-Authenticate': 'Bearer' },
      },
    );
  }
}

/** The same whether there is none of this id, it is over, or it belongs to another user. */
export class SessionNotFound extends DomainError {
  constructor() {
    super(CREDENTIAL_ERRORS.session_not_found, 'You have no such session.', {
      hint: 'GET /api/v1/auth/sessions lists those that you have.',
    });
  }
}
