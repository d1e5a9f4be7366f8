import { defineErrors, type ErrorDefinition } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { ANY_CALL } from '../limits/limits.errors.js';
import { CREDENTIAL_ERRORS } from './auth.errors.js';
import type { Scope } from './scopes.js';

export const ACCESS_ERRORS = defineErrors({
  insufficient_scopes: { type: 'authorization_error', status: 403, title: 'The key or the role does not allow this.' },
  org_access_denied: {
    type: 'authorization_error',
    status: 403,
    title: 'The caller has no access to the organization.',
  },
  key_org_mismatch: { type: 'authorization_error', status: 403, title: 'The key is bound to another organization.' },
  ip_not_allowed: { type: 'authorization_error', status: 403, title: 'The key does not allow this IP address.' },
  email_not_verified: {
    type: 'authorization_error',
    status: 403,
    title: 'The email address of the account is not verified.',
  },
});

/** Refusals that any call with a credential can get. */
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
  ACCESS_ERRORS.insufficient_scopes,
  ACCESS_ERRORS.org_access_denied,
  ACCESS_ERRORS.key_org_mismatch,
  ACCESS_ERRORS.ip_not_allowed,
];

interface MissingScope {
  readonly scope: Scope;
  readonly lackedBy: 'key' | 'role';
  readonly keyKind: string | undefined;
  readonly role: string | undefined;
  readonly orgId: string | undefined;
}

/** A valid key, or the role of its owner, does not allow this (service document §5). */
export class InsufficientScopes extends DomainError {
  constructor(readonly missing: MissingScope) {
    const { scope, lackedBy, keyKind, role, orgId } = missing;
    super(
      ACCESS_ERRORS.insufficient_scopes,
      lackedBy === 'key'
        ? `This key lacks the scope ${scope}.`
        : `The role ${role ?? 'of a stranger'} does not allow ${scope} in this organization.`,
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

/** The service requires a verified e-mail address for this (`EMAIL_VERIFICATION=required`). */
export class EmailNotVerified extends DomainError {
  constructor() {
    super(ACCESS_ERRORS.email_not_verified, 'Your e-mail address is not verified.', {
      hint: 'Open the link in the message you got at sign-up, or request a new one with POST /api/v1/auth/verify-email/resend.',
    });
  }
}

/** The call names an organization that its caller, or its key, does not reach. */
export class OrgAccessDenied extends DomainError {
  constructor(keyKind: string | undefined, requestedOrg: string) {
    super(
      ACCESS_ERRORS.org_access_denied,
      keyKind === undefined
        ? 'You do not belong to this organization, or there is none of this name.'
        : 'This key does not reach this organization, or there is none of this name.',
      {
        hint: 'GET /api/v1/me lists the organizations that can be named.',
        details: { ...(keyKind === undefined ? {} : { key_kind: keyKind }), requested_org: requestedOrg.slice(0, 100) },
      },
    );
  }
}

/** An org-bound key works only against the organization it is tied to (service document §5). */
export class KeyOrgMismatch extends DomainError {
  constructor(keyOrg: string, requestedOrg: string) {
    super(ACCESS_ERRORS.key_org_mismatch, 'This key is bound to another organization.', {
      hint: 'Use a personal or a select-orgs key for work across organizations, or a key that is bound to this one.',
      details: { key_kind: 'org_bound', key_org: keyOrg, requested_org: requestedOrg.slice(0, 100) },
    });
  }
}

/** The key is valid, but not from where the call came. */
export class IpNotAllowed extends DomainError {
  constructor(ip: string) {
    super(ACCESS_ERRORS.ip_not_allowed, 'This key may not be used from this IP address.', {
      hint: "Add the address to the key's allowed_ips, or call from one that is in it.",
      details: { ip },
    });
  }
}
