import { DomainError } from '../../../platform/errors/domain-error.js';
import { CREDENTIAL_ERRORS } from '../auth.errors.js';

/**
 * A token was used after it had been replaced. Two parties hold tokens of this session, and the service cannot see
 * which one is the owner, so it ends the session for both.
 */
export class SessionTokenReused extends DomainError {
  constructor() {
    super(
      CREDENTIAL_ERRORS.invalid_session,
      'This session token was replaced earlier, so the session was ended in case the token was copied.',
      {
        hint: 'Sign in again with POST /api/v1/auth/sign-in.',
        headers: { 'WWW-Authenticate': 'Bearer' },
      },
    );
  }
}

/** The response is the same for an unknown session, an ended one and the session of another user. */
export class SessionNotFound extends DomainError {
  constructor() {
    super(CREDENTIAL_ERRORS.session_not_found, 'Session not found.', {
      hint: 'List your sessions with GET /api/v1/auth/sessions.',
    });
  }
}
