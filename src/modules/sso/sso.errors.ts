import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { type FieldFault, RequestInvalid } from '../../platform/errors/request-invalid.js';

export const SSO_ERRORS = defineErrors({
  org_domain_not_found: { type: 'not_found_error', status: 404, title: 'Domain of the organization not found.' },
  org_domain_limit_reached: { type: 'conflict_error', status: 409, title: 'The organization has too many domains.' },
  domain_taken: { type: 'conflict_error', status: 409, title: 'Another organization has verified the domain.' },
  domain_not_verified: { type: 'conflict_error', status: 409, title: 'The organization has not verified the domain.' },
  sso_not_provisioned: {
    type: 'authorization_error',
    status: 403,
    title: 'The organization has not added the person.',
  },
  connection_not_tested: {
    type: 'conflict_error',
    status: 409,
    title: 'Nobody has come in through the connection yet.',
  },
  sso_response_invalid: { type: 'auth_error', status: 401, title: 'The response of the identity provider is refused.' },
});

/** The response is the same for an unknown domain and for one of another organization. */
export class OrgDomainNotFound extends DomainError {
  constructor() {
    super(SSO_ERRORS.org_domain_not_found, 'Domain not found in this organization.', {
      hint: 'List the domains with GET /api/v1/orgs/{org_id}/domains.',
    });
  }
}

export class OrgDomainAlreadyAdded extends DomainError {
  constructor(name: string) {
    super(GENERIC_ERRORS.already_exists, `${name} is already a domain of this organization.`, {
      hint: 'Verify it with POST /api/v1/orgs/{org_id}/domains/{domain_id}/verify.',
      details: { name },
    });
  }
}

export class TooManyOrgDomains extends DomainError {
  constructor(limit: number) {
    super(SSO_ERRORS.org_domain_limit_reached, `Domain limit reached: ${limit} for each organization.`, {
      hint: 'Remove a domain that the organization no longer needs.',
      details: { limit },
    });
  }
}

/** It does not say which organization has the domain. */
export class DomainTaken extends DomainError {
  constructor(name: string) {
    super(SSO_ERRORS.domain_taken, `Another organization has verified ${name}.`, {
      hint: 'Remove the domain from that organization first, if it is yours.',
      details: { name },
    });
  }
}

/** The name cannot be a domain of an organization. */
export class OrgDomainNameRefused extends RequestInvalid {
  constructor({ code, message }: Pick<FieldFault, 'code' | 'message'>) {
    super([{ path: 'name', in: 'body', code, message }]);
  }
}

/** A connection speaks for verified domains only, and without one for nobody. */
export class DomainNotVerified extends DomainError {
  constructor() {
    super(SSO_ERRORS.domain_not_verified, 'The organization has no verified domain.', {
      hint: 'Add one with POST /api/v1/orgs/{org_id}/domains and verify it.',
    });
  }
}

export class ConnectionNotTested extends DomainError {
  constructor() {
    super(SSO_ERRORS.connection_not_tested, 'Nobody has come in through this connection since its last change.', {
      hint: 'Test it with POST /api/v1/orgs/{org_id}/sso/connections/{connection_id}/test, then activate it.',
    });
  }
}

/** The response is the same whatever is wrong, so that who forges learns nothing. The audit log has the reason. */
export class SsoResponseInvalid extends DomainError {
  constructor() {
    super(SSO_ERRORS.sso_response_invalid, 'The response of the identity provider is refused.', {
      hint: 'Begin the sign-in again. Owners find the reason in the audit log of the organization.',
    });
  }
}

/** A field of a connection that cannot be used. */
export class ConnectionFieldRefused extends RequestInvalid {
  constructor({ path, code, message }: Pick<FieldFault, 'path' | 'code' | 'message'>) {
    super([{ path, in: 'body', code, message }]);
  }
}

export class TooManySsoConnections extends RequestInvalid {
  constructor(limit: number) {
    super([
      {
        path: '',
        in: 'body',
        code: 'max_connections',
        message: `An organization can have ${limit} SSO connections. Delete one that is no longer used.`,
        expected: { max: limit },
      },
    ]);
  }
}

/** A connection says nothing of addresses outside of the domains that its organization has verified. */
export class SsoAddressForeign extends DomainError {
  constructor() {
    super(SSO_ERRORS.domain_not_verified, 'Your organization has not verified the domain of your email address.', {
      hint:
        'Ask an administrator to verify it. If you have an account, sign in to it and connect SSO in its security ' +
        'settings.',
    });
  }
}

/** The connection makes no members of people whom the organization does not know. */
export class SsoNotProvisioned extends DomainError {
  constructor() {
    super(SSO_ERRORS.sso_not_provisioned, 'Your organization has not added you yet, or has suspended you.', {
      hint: 'Ask an administrator of the organization to add you.',
    });
  }
}
