import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { type FieldFault, RequestInvalid } from '../../platform/errors/request-invalid.js';

export const DOMAIN_ERRORS = defineErrors({
  domain_not_found: { type: 'not_found_error', status: 404, title: 'Domain not found.' },
  domain_limit_reached: { type: 'conflict_error', status: 409, title: 'The project has too many domains.' },
  domain_in_use: { type: 'conflict_error', status: 409, title: 'Another domain redirects to this one.' },
});

export class DomainNotFound extends DomainError {
  constructor() {
    super(DOMAIN_ERRORS.domain_not_found, 'Domain not found in this project.', {
      hint: 'List the domains of the project: GET /api/v1/projects/{project_id}/domains.',
    });
  }
}

/** An organization claims a name once, whichever of its projects it is for. */
export class DomainAlreadyAdded extends DomainError {
  constructor(name: string, projectId?: string) {
    super(GENERIC_ERRORS.already_exists, `${name} is already a domain of a project of this organization.`, {
      hint: 'Remove it from that project first.',
      details: { name, ...(projectId === undefined ? {} : { project_id: projectId }) },
    });
  }
}

export class TooManyDomains extends DomainError {
  constructor(limit: number) {
    super(DOMAIN_ERRORS.domain_limit_reached, `Domain limit reached: ${limit} for each project.`, {
      hint: 'Remove a domain that the project no longer needs.',
      details: { limit },
    });
  }
}

export class DomainInUse extends DomainError {
  constructor(name: string, redirecting: readonly string[]) {
    super(DOMAIN_ERRORS.domain_in_use, `${redirecting[0] ?? ''} redirects to ${name}.`, {
      hint: 'Remove the redirect first: PATCH that domain with "redirect_to": null.',
      details: { redirecting },
    });
  }
}

/** The name cannot be a domain of a project. */
export class DomainNameRefused extends RequestInvalid {
  constructor(path: 'name' | 'redirect_to', { code, message }: Pick<FieldFault, 'code' | 'message'>) {
    super([{ path, in: 'body', code, message }]);
  }
}
