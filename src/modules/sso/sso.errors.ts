import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { type FieldFault, RequestInvalid } from '../../platform/errors/request-invalid.js';

export const SSO_ERRORS = defineErrors({
  org_domain_not_found: { type: 'not_found_error', status: 404, title: 'Domain of the organization not found.' },
  org_domain_limit_reached: { type: 'conflict_error', status: 409, title: 'The organization has too many domains.' },
  domain_taken: { type: 'conflict_error', status: 409, title: 'Another organization has verified the domain.' },
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
