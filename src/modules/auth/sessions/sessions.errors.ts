import { DomainError } from '../../../platform/errors/domain-error.js';
import { CREDENTIAL_ERRORS } from '../auth.errors.js';

/**
 * Whoever shows a token that was rotated away has copied it, or was copied: nobody can tell which, so the session ends.
 */
export class SessionTokenReused extends DomainError {
  constructor() {
    super(
      CREDENTIAL_ERRORS.invalid_session,
      'This session token was replaced by a newer one. The session has been ended, because somebody may have copied it.',
      {
        hint: 'Sign in again with POST /api/v1/auth/sign-in.',
        headers: { 'WWW-Authenticate': 'Bearer' },
      },
    );
  }
}

/** The same whether there is none of this id, it is over, or it is somebody else's. */
export class SessionNotFound extends DomainError {
  constructor() {
    super(CREDENTIAL_ERRORS.session_not_found, 'You have no such session.', {
      hint: 'GET /api/v1/auth/sessions lists those that you have.',
    });
  }
}
