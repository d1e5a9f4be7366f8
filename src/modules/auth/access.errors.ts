import { DomainError } from '../../platform/errors/domain-error.js';
import type { Scope } from './scopes.js';

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
      'insufficient_scopes',
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
    super('email_not_verified', 'Your e-mail address is not verified.', {
      hint: 'Open the link in the message you got at sign-up, or request a new one with POST /api/v1/auth/verify-email/resend.',
    });
  }
}

/** The call names an organization that its caller, or its key, does not reach. */
export class OrgAccessDenied extends DomainError {
  constructor(keyKind: string | undefined, requestedOrg: string) {
    super(
      'org_access_denied',
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
    super('key_org_mismatch', 'This key is bound to another organization.', {
      hint: 'Use a personal or a select-orgs key for work across organizations, or a key that is bound to this one.',
      details: { key_kind: 'org_bound', key_org: keyOrg, requested_org: requestedOrg.slice(0, 100) },
    });
  }
}

/** The key is valid, but not from where the call came. */
export class IpNotAllowed extends DomainError {
  constructor(ip: string) {
    super('ip_not_allowed', 'This key may not be used from this IP address.', {
      hint: "Add the address to the key's allowed_ips, or call from one that is in it.",
      details: { ip },
    });
  }
}
