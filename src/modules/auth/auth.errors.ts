import { defineErrors, type ErrorDefinition } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';

export const CREDENTIAL_ERRORS = defineErrors({
  conflicting_credentials: {
    type: 'validation_error',
    status: 400,
    title: 'The request carries two different credentials.',
  },
  missing_api_key: { type: 'auth_error', status: 401, title: 'The request carries no API key.' },
  malformed_api_key: { type: 'auth_error', status: 401, title: 'The API key has the wrong format.' },
  invalid_api_key: { type: 'auth_error', status: 401, title: 'The API key is unknown.' },
  expired_api_key: { type: 'auth_error', status: 401, title: 'The API key has expired.' },
  revoked_api_key: { type: 'auth_error', status: 401, title: 'The API key has been revoked.' },
  rotated_api_key: { type: 'auth_error', status: 401, title: 'The API key has been rotated.' },
  session_token_not_allowed: {
    type: 'auth_error',
    status: 401,
    title: 'A session token was sent where an API key is required.',
  },
  session_required: { type: 'auth_error', status: 401, title: 'The request requires a user session.' },
  invalid_session: { type: 'auth_error', status: 401, title: 'The session has ended or is unknown.' },
  invalid_email_token: {
    type: 'validation_error',
    status: 400,
    title: 'The token from the email is wrong, used or expired.',
  },
  session_not_found: { type: 'not_found_error', status: 404, title: 'Session not found.' },
});

export class ConflictingCredentials extends DomainError {
  constructor() {
    super(CREDENTIAL_ERRORS.conflicting_credentials, 'Authorization and X-API-Key carry different credentials.', {
      hint: 'Send one of the two.',
    });
  }
}

/** A credential that lets nobody in (service document §5). None of its text is ever repeated. */
abstract class CredentialRefused extends DomainError {
  constructor(definition: ErrorDefinition, message: string, hint: string) {
    super(definition, message, { hint, headers: { 'WWW-Authenticate': 'Bearer' } });
  }
}

const MINT_ONE = 'Sign in and mint one with POST /api/v1/keys.';

export class ApiKeyMissing extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.missing_api_key,
      'This call needs an API key.',
      `Send the header Authorization: Bearer <key>, never a URL parameter. ${MINT_ONE}`,
    );
  }
}

export class ApiKeyMalformed extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.malformed_api_key,
      'This is not an API key: its form or its checksum is wrong.',
      'Copy the whole key: svc_, its kind, and 39 letters and digits.',
    );
  }
}

export class ApiKeyInvalid extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.invalid_api_key,
      'This API key is not known here.',
      `Check that it belongs to this service. ${MINT_ONE}`,
    );
  }
}

export class ApiKeyExpired extends CredentialRefused {
  constructor(expiredAt: Date) {
    super(CREDENTIAL_ERRORS.expired_api_key, `This API key expired on ${expiredAt.toISOString()}.`, MINT_ONE);
  }
}

export class ApiKeyRevoked extends CredentialRefused {
  constructor() {
    super(CREDENTIAL_ERRORS.revoked_api_key, 'This API key has been revoked.', MINT_ONE);
  }
}

export class ApiKeyRotated extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.rotated_api_key,
      'This API key has been rotated; its new secret has taken its place.',
      'Use the secret that the rotation gave out, or rotate once more.',
    );
  }
}

/** Service document §5: a session token where an API key is expected. */
export class SessionTokenNotAllowed extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.session_token_not_allowed,
      'This call needs an API key and was sent a session token, a cookie or a token of another service.',
      MINT_ONE,
    );
  }
}

/** Some things are for a person and not for a key: to change a password, to accept an invitation. */
export class SessionRequired extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.session_required,
      'This call needs the session of a person.',
      'Sign in with POST /api/v1/auth/sign-in and send its session_token.',
    );
  }
}

export class SessionInvalid extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.invalid_session,
      'This session is over or unknown.',
      'Sign in again with POST /api/v1/auth/sign-in.',
    );
  }
}

/** The token of a message. The answer is the same whatever is wrong with it. */
export class EmailTokenInvalid extends DomainError {
  constructor() {
    super(CREDENTIAL_ERRORS.invalid_email_token, 'The token is unknown, was already used, or has expired.', {
      hint: 'Request a new message. Only the account that it was sent to can use it.',
    });
  }
}
