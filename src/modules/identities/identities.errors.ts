import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { CREDENTIAL_ERRORS } from '../auth/auth.errors.js';
import type { ExternalMethod } from '../auth/sign-in-method.js';

export const IDENTITY_ERRORS = defineErrors({
  account_exists: {
    type: 'conflict_error',
    status: 409,
    title: 'An account with the email address of the identity exists.',
  },
  identity_without_email: {
    type: 'conflict_error',
    status: 409,
    title: 'The provider has given no email address for a new account.',
  },
  last_sign_in_method: {
    type: 'conflict_error',
    status: 409,
    title: 'Without the identity, nothing would sign in to the account.',
    dashboard: '/account/security',
  },
  identity_not_found: { type: 'not_found_error', status: 404, title: 'Identity not found.' },
  sso_connection_not_found: { type: 'not_found_error', status: 404, title: 'SSO connection not found.' },
});

/** The names of the providers as they write them. */
export const TITLES: Readonly<Record<ExternalMethod, string>> = { github: 'GitHub', google: 'Google', sso: 'SSO' };

export class ProviderNotConfigured extends DomainError {
  constructor(provider: ExternalMethod) {
    super(GENERIC_ERRORS.integration_not_configured, `Sign-in with ${TITLES[provider]} is not configured.`, {
      hint: 'List the providers with GET /api/v1/auth/methods.',
      details: { provider },
    });
  }
}

/** The provider cannot be reached before the person is led there. */
export class ProviderNotResponding extends DomainError {
  constructor(provider: ExternalMethod, cause: unknown) {
    super(
      GENERIC_ERRORS.upstream_error,
      `${TITLES[provider]} is not responding.`,
      { hint: 'Try again in a moment, or sign in another way.', details: { provider } },
      { cause },
    );
  }
}

/** The response is the same whatever is wrong with a sign-in through a provider, so that guessing reveals nothing. */
export class ExternalSignInInvalid extends DomainError {
  constructor() {
    super(
      CREDENTIAL_ERRORS.invalid_flow,
      'This sign-in is unknown, was already completed, has expired, or began in another browser.',
      { hint: 'Begin again with POST /api/v1/auth/flows, and finish in the same browser.' },
    );
  }
}

/** The response is the same whatever is wrong with the sign-in of a program, so that guessing reveals nothing. */
export class BrowserSignInInvalid extends DomainError {
  constructor() {
    super(
      CREDENTIAL_ERRORS.invalid_flow,
      'This sign-in is unknown, was already decided on or completed, has expired, or its session has ended.',
      { hint: 'Begin again with POST /api/v1/auth/flows.' },
    );
  }
}

/** An address proves nobody: only the owner of the account can connect the identity to it. */
export class AccountExists extends DomainError {
  constructor(provider: ExternalMethod) {
    super(IDENTITY_ERRORS.account_exists, 'An account with this email address already exists.', {
      hint: `Sign in to it another way, then connect ${TITLES[provider]} in the security settings of the account.`,
      details: { provider },
    });
  }
}

export class IdentityWithoutEmail extends DomainError {
  constructor(provider: ExternalMethod) {
    super(IDENTITY_ERRORS.identity_without_email, `${TITLES[provider]} has given no email address.`, {
      hint: 'Add an email address there and allow this service to read it, or sign up with a password.',
      details: { provider },
    });
  }
}

/** The identity belongs to another account, or the account has another identity of this provider. */
export class IdentityConnected extends DomainError {
  constructor(provider: ExternalMethod, isOfAnother: boolean) {
    super(
      GENERIC_ERRORS.already_exists,
      isOfAnother
        ? `This ${TITLES[provider]} account is connected to another account.`
        : `Your account is already connected to ${TITLES[provider]}.`,
      { hint: 'Disconnect it there first, with DELETE /api/v1/me/identities/{identity_id}.', details: { provider } },
    );
  }
}

export class LastSignInMethod extends DomainError {
  constructor() {
    super(IDENTITY_ERRORS.last_sign_in_method, 'Your account has no password and no other identity.', {
      hint: 'Set a password with POST /api/v1/auth/password/forgot, or connect another provider first.',
    });
  }
}

/** The response is the same for an unknown identity and for one of another person. */
export class IdentityNotFound extends DomainError {
  constructor() {
    super(IDENTITY_ERRORS.identity_not_found, 'Identity not found.', {
      hint: 'List your identities with GET /api/v1/me/identities.',
    });
  }
}

/** The response is the same for a connection that is not active, and where there is none. */
export class SsoConnectionNotFound extends DomainError {
  constructor() {
    super(IDENTITY_ERRORS.sso_connection_not_found, 'SSO connection not found.', {
      hint: 'Check the address or the organization, or sign in another way.',
    });
  }
}
