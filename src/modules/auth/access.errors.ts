import { defineErrors, type ErrorDefinition } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { ANY_CALL } from '../limits/limits.errors.js';
import { CREDENTIAL_ERRORS } from './auth.errors.js';
import type { Scope } from './scopes.js';

export const ACCESS_ERRORS = defineErrors({
  insufficient_scopes: {
    type: 'authorization_error',
    status: 403,
    title: 'The key or the role does not allow this.',
    dashboard: '/~/keys',
  },
  org_access_denied: {
    type: 'authorization_error',
    status: 403,
    title: 'The caller has no access to the organization.',
  },
  key_org_mismatch: { type: 'authorization_error', status: 403, title: 'The key is bound to another organization.' },
  second_factor_missing: {
    type: 'authorization_error',
    status: 403,
    title: 'The organization requires a second factor.',
    dashboard: '/account/security',
  },
  sso_required: {
    type: 'authorization_error',
    status: 403,
    title: 'The organization requires a sign-in through its SSO connection.',
    dashboard: '/sign-in/sso',
  },
  ip_not_allowed: { type: 'authorization_error', status: 403, title: 'The key does not allow this IP address.' },
  email_not_verified: {
    type: 'authorization_error',
    status: 403,
    title: 'The email address of the account is not verified.',
    dashboard: '/verify-email',
  },
});

/** Errors that any call with a credential can get. */
export const ANY_CALLER: readonly ErrorDefinition[] = [
  ...ANY_CALL,
  CREDENTIAL_ERRORS.conflicting_credentials,
  CREDENTIAL_ERRORS.missing_api_key,
  CREDENTIAL_ERRORS.malformed_api_key,
  CREDENTIAL_ERRORS.invalid_api_key,
  CREDENTIAL_ERRORS.expired_api_key,
  CREDENTIAL_ERRORS.revoked_api_key,
  CREDENTIAL_ERRORS.rotated_api_key,
  CREDENTIAL_ERRORS.session_token_not_allowed,
  CREDENTIAL_ERRORS.session_required,
  CREDENTIAL_ERRORS.invalid_session,
  CREDENTIAL_ERRORS.cross_site_request,
  ACCESS_ERRORS.insufficient_scopes,
  ACCESS_ERRORS.org_access_denied,
  ACCESS_ERRORS.key_org_mismatch,
  ACCESS_ERRORS.second_factor_missing,
  ACCESS_ERRORS.sso_required,
  ACCESS_ERRORS.ip_not_allowed,
];

interface MissingScope {
  readonly scope: Scope;
  readonly lackedBy: 'key' | 'role';
  readonly keyKind: string | undefined;
  readonly role: string | undefined;
  readonly orgId: string | undefined;
}

/** The key is valid, but its scopes or the role of its owner do not allow this (service document §5). */
export class InsufficientScopes extends DomainError {
  constructor(readonly missing: MissingScope) {
    const { scope, lackedBy, keyKind, role, orgId } = missing;
    super(
      ACCESS_ERRORS.insufficient_scopes,
      lackedBy === 'key'
        ? `This key lacks the scope ${scope}.`
        : role === undefined
          ? `The scope ${scope} requires membership in this organization.`
          : `The role ${role} does not allow ${scope} in this organization.`,
      {
        hint:
          lackedBy === 'key'
            ? `Use a key with the scope ${scope}.`
            : 'Ask an owner of the organization for a role that allows it.',
        details: {
          required_scopes: [scope],
          missing_scopes: [scope],
          lacked_by: lackedBy,
          ...(keyKind === undefined ? {} : { key_kind: keyKind }),
          ...(role === undefined ? {} : { role }),
          ...(orgId === undefined ? {} : { requested_org: orgId }),
        },
      },
    );
  }
}

/** The service requires a verified email address for this (`EMAIL_VERIFICATION=required`). */
export class EmailNotVerified extends DomainError {
  constructor() {
    super(ACCESS_ERRORS.email_not_verified, 'Your email address is not verified.', {
      hint:
        'Open the link in the message that you got at sign-up, ' +
        'or request a new one with POST /api/v1/auth/verify-email/resend.',
    });
  }
}

/** The call names an organization that the caller does not belong to, or that the key has no access to. */
export class OrgAccessDenied extends DomainError {
  constructor(keyKind: string | undefined, requestedOrg: string) {
    super(
      ACCESS_ERRORS.org_access_denied,
      keyKind === undefined
        ? 'Organization not found, or you are not a member of it.'
        : 'Organization not found, or this key has no access to it.',
      {
        hint: 'List the organizations that you can use with GET /api/v1/me.',
        details: { ...(keyKind === undefined ? {} : { key_kind: keyKind }), requested_org: requestedOrg.slice(0, 100) },
      },
    );
  }
}

/** An org-bound key works only for the organization that it is bound to (service document §5). */
export class KeyOrgMismatch extends DomainError {
  constructor(keyOrg: string, requestedOrg: string) {
    super(ACCESS_ERRORS.key_org_mismatch, 'This key is bound to another organization.', {
      hint: 'Use a key that is bound to this organization, or a personal or select-orgs key.',
      details: { key_kind: 'org_bound', key_org: keyOrg, requested_org: requestedOrg.slice(0, 100) },
    });
  }
}

/** The organization requires a second factor of its members, and the person, or the owner of the key, has none. */
export class SecondFactorMissing extends DomainError {
  constructor(requestedOrg: string) {
    super(ACCESS_ERRORS.second_factor_missing, 'This organization requires a second factor, and you have none.', {
      hint: 'Set one up with POST /api/v1/me/factors/totp, or add a passkey in the dashboard.',
      details: { requested_org: requestedOrg.slice(0, 100) },
    });
  }
}

/** The organization lets in only sessions that came through its SSO connection lately, and keys that these made. */
export class SsoRequired extends DomainError {
  constructor(org: string, credential: 'session' | 'api_key') {
    super(
      ACCESS_ERRORS.sso_required,
      credential === 'session'
        ? 'This organization requires a sign-in through its SSO connection.'
        : 'This organization requires SSO, and this key is not authorized for it.',
      {
        hint:
          credential === 'session'
            ? `Sign in with POST /api/v1/auth/flows and {"method": "sso", "org": "${org}"}.`
            : 'Sign in through the SSO connection, then authorize the key with POST /api/v1/keys/{key_id}/authorize.',
        details: { requested_org: org },
      },
    );
  }
}

/** The key is valid, but its `allowed_ips` do not contain the address of the call. */
export class IpNotAllowed extends DomainError {
  constructor(ip: string) {
    super(ACCESS_ERRORS.ip_not_allowed, 'This key cannot be used from your IP address.', {
      hint: "Add the address to the key's allowed_ips, or call from an allowed address.",
      details: { ip },
    });
  }
}
