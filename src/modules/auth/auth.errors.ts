import { defineErrors, type ErrorDefinition } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import type { SecondFactorMethod } from './sign-in-method.js';

export const CREDENTIAL_ERRORS = defineErrors({
  conflicting_credentials: {
    type: 'validation_error',
    status: 400,
    title: 'The request carries two different credentials.',
  },
  missing_api_key: { type: 'auth_error', status: 401, title: 'The request carries no API key.', dashboard: '/~/keys' },
  malformed_api_key: {
    type: 'auth_error',
    status: 401,
    title: 'The API key has the wrong format.',
    dashboard: '/~/keys',
  },
  invalid_api_key: { type: 'auth_error', status: 401, title: 'The API key is unknown.', dashboard: '/~/keys' },
  expired_api_key: { type: 'auth_error', status: 401, title: 'The API key has expired.', dashboard: '/~/keys' },
  revoked_api_key: { type: 'auth_error', status: 401, title: 'The API key has been revoked.', dashboard: '/~/keys' },
  rotated_api_key: { type: 'auth_error', status: 401, title: 'The API key has been rotated.', dashboard: '/~/keys' },
  session_token_not_allowed: {
    type: 'auth_error',
    status: 401,
    title: 'A session token was sent where an API key is required.',
  },
  session_required: { type: 'auth_error', status: 401, title: 'The request requires a user session.' },
  invalid_session: { type: 'auth_error', status: 401, title: 'The session has ended or is unknown.' },
  invalid_flow: {
    type: 'validation_error',
    status: 400,
    title: 'The sign-in that the token stands for is unknown, over or too old.',
  },
  second_factor_required: { type: 'auth_error', status: 401, title: 'The sign-in requires a second factor.' },
  recent_sign_in_required: {
    type: 'auth_error',
    status: 401,
    title: 'The sign-in was too long ago for this.',
    dashboard: '/account/security',
  },
  invalid_email_token: {
    type: 'validation_error',
    status: 400,
    title: 'The token from the email is wrong, used or expired.',
  },
  cross_site_request: {
    type: 'authorization_error',
    status: 403,
    title: 'The session in a cookie was used from another site.',
  },
  session_not_found: { type: 'not_found_error', status: 404, title: 'Session not found.' },
});

export class ConflictingCredentials extends DomainError {
  constructor() {
    super(CREDENTIAL_ERRORS.conflicting_credentials, 'Authorization and X-API-Key carry different credentials.', {
      hint: 'Send only one of the two headers.',
    });
  }
}

/** A page sends its session in a cookie and another credential beside it. */
export class SessionBesideKey extends DomainError {
  constructor() {
    super(
      CREDENTIAL_ERRORS.conflicting_credentials,
      'The request carries a session in a cookie and a credential in a header.',
      { hint: 'Leave out Authorization and X-API-Key, or the header x-service-session.' },
    );
  }
}

/** Another site may have set one of the cookies, and nothing tells which. */
export class SeveralSessionCookies extends DomainError {
  constructor(name: string) {
    super(CREDENTIAL_ERRORS.conflicting_credentials, `The request carries several different cookies ${name}.`, {
      hint: 'Delete the cookies of this site and of its parent domain, then sign in again.',
    });
  }
}

/** A browser says, or does not rule out, that another site makes the call with the cookie of this one. */
export class CrossSiteRequest extends DomainError {
  constructor() {
    super(
      CREDENTIAL_ERRORS.cross_site_request,
      'A session in a cookie works only for pages of this service, and this call is not known to come from one.',
      { hint: 'Call from a page under PUBLIC_URL, or use an API key.' },
    );
  }
}

/** The credential was refused (service document §5). The error never repeats any part of it. */
abstract class CredentialRefused extends DomainError {
  constructor(definition: ErrorDefinition, message: string, hint: string, details?: Readonly<Record<string, unknown>>) {
    super(definition, message, {
      hint,
      headers: { 'WWW-Authenticate': 'Bearer' },
      ...(details === undefined ? {} : { details }),
    });
  }
}

/** A refusal that also leads an OAuth client to where it gets an access token. */
export class RefusedWithChallenge extends DomainError {
  constructor({ definition, message, help }: DomainError, challenge: string) {
    super(definition, message, { ...help, headers: { ...help.headers, 'WWW-Authenticate': challenge } });
  }
}

const CREATE_KEY = 'Sign in and create a key with POST /api/v1/keys.';

export class ApiKeyMissing extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.missing_api_key,
      'This endpoint requires an API key.',
      `Send the header Authorization: Bearer <key>. ${CREATE_KEY}`,
    );
  }
}

export class ApiKeyMalformed extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.malformed_api_key,
      'The API key is malformed: its format or its checksum is wrong.',
      'Copy the complete key: svc_, its kind, and 39 letters and digits.',
    );
  }
}

export class ApiKeyInvalid extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.invalid_api_key,
      'Unknown API key.',
      `Check that the key belongs to this service. ${CREATE_KEY}`,
    );
  }
}

export class ApiKeyExpired extends CredentialRefused {
  constructor(expiredAt: Date) {
    super(CREDENTIAL_ERRORS.expired_api_key, `This API key expired on ${expiredAt.toISOString()}.`, CREATE_KEY);
  }
}

export class ApiKeyRevoked extends CredentialRefused {
  constructor() {
    super(CREDENTIAL_ERRORS.revoked_api_key, 'This API key has been revoked.', CREATE_KEY);
  }
}

export class ApiKeyRotated extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.rotated_api_key,
      'This API key has been rotated, and its old secret no longer works.',
      'Use the new secret, or rotate the key again.',
    );
  }
}

/** A session token was sent where an API key is expected (service document §5). */
export class SessionTokenNotAllowed extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.session_token_not_allowed,
      'This endpoint requires an API key, not a session token, a cookie or a token of another service.',
      CREATE_KEY,
    );
  }
}

/** Some endpoints are for people and not for keys, such as changing a password or accepting an invitation. */
export class SessionRequired extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.session_required,
      'This endpoint requires a user session.',
      'Sign in with POST /api/v1/auth/sign-in and send the session_token.',
    );
  }
}

export class SessionInvalid extends CredentialRefused {
  constructor() {
    super(
      CREDENTIAL_ERRORS.invalid_session,
      'The session has ended or is unknown.',
      'Sign in again with POST /api/v1/auth/sign-in.',
    );
  }
}

/** The token of a sign-in of two steps is unknown, was used, or has expired. */
export class SignInFlowInvalid extends DomainError {
  constructor() {
    super(CREDENTIAL_ERRORS.invalid_flow, 'This sign-in is unknown, was already completed, or has expired.', {
      hint: 'Sign in again with POST /api/v1/auth/sign-in.',
    });
  }
}

/** What was shown so far is right, and a second factor is asked for. */
export class SecondFactorRequired extends CredentialRefused {
  constructor({ token, methods }: { readonly token?: string; readonly methods: readonly SecondFactorMethod[] }) {
    super(
      CREDENTIAL_ERRORS.second_factor_required,
      'This account requires a second factor.',
      token === undefined
        ? 'Send a code or a passkey instead of the password.'
        : 'Send the token with a code or a passkey to POST /api/v1/auth/second-factor, within five minutes.',
      { ...(token === undefined ? {} : { token }), methods: [...methods] },
    );
  }
}

/** The session is valid, and another person may sit before it by now. */
export class RecentSignInRequired extends CredentialRefused {
  constructor(hasSecondFactor: boolean) {
    super(
      CREDENTIAL_ERRORS.recent_sign_in_required,
      hasSecondFactor
        ? 'This requires that you signed in with your second factor within the last 15 minutes.'
        : 'This requires that you signed in within the last 15 minutes.',
      'Confirm that it is you with POST /api/v1/auth/session/confirm, then repeat the request.',
    );
  }
}

/** The response is the same whatever is wrong with the token of a message, so that it reveals nothing. */
export class EmailTokenInvalid extends DomainError {
  constructor() {
    super(CREDENTIAL_ERRORS.invalid_email_token, 'The token is unknown, was already used, or has expired.', {
      hint: 'Request a new message, and use its token with the account that it was sent to.',
    });
  }
}
