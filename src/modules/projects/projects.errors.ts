import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { type FieldFault, RequestInvalid } from '../../platform/errors/request-invalid.js';
import type { Plan } from '../plans/plan.js';
import { PLAN_ERRORS } from '../plans/plans.errors.js';

export const PROJECT_ERRORS = defineErrors({
  project_not_found: { type: 'not_found_error', status: 404, title: 'Project not found.' },
});

/**
 * The answer is identical for a project of another tenant and for one that never existed, so that it reveals nothing.
 */
export class ProjectNotFound extends DomainError {
  constructor() {
    super(PROJECT_ERRORS.project_not_found, 'Project not found.', {
      hint: 'List the projects with GET /api/v1/projects; x-service-org selects the organization.',
    });
  }
}

export class ProjectSlugTaken extends DomainError {
  constructor(slug: string) {
    super(GENERIC_ERRORS.already_exists, `The slug ${slug} is already used by another project.`, {
      hint: 'Choose another slug.',
      details: { slug },
    });
  }
}

export class TooManyProjects extends DomainError {
  constructor({ id, name }: Plan, limit: number, upgradeUrl: string) {
    super(PLAN_ERRORS.plan_limit_reached, `Project limit reached: ${name} allows ${limit}.`, {
      hint: `Delete a project or upgrade: ${upgradeUrl}`,
      details: { limit, plan: id },
    });
  }
}

/** One target would have too many variables, or too large ones. */
export class EnvironmentTooLarge extends RequestInvalid {
  constructor(fault: Pick<FieldFault, 'code' | 'message' | 'expected'>) {
    super([{ path: 'variables', in: 'body', ...fault }]);
  }
}
