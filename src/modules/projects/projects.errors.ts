import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { type FieldFault, RequestInvalid } from '../../platform/errors/request-invalid.js';
import type { Plan } from '../plans/plan.js';
import { PLAN_ERRORS } from '../plans/plans.errors.js';

export const PROJECT_ERRORS = defineErrors({
  project_not_found: { type: 'not_found_error', status: 404, title: 'Project not found.' },
});

/** To the byte the same for a project of strangers as for one that never was. */
export class ProjectNotFound extends DomainError {
  constructor() {
    super(PROJECT_ERRORS.project_not_found, 'There is no such project.', {
      hint: 'GET /api/v1/projects lists those of an organization; x-service-org says of which.',
    });
  }
}

export class ProjectSlugTaken extends DomainError {
  constructor(slug: string) {
    super(GENERIC_ERRORS.already_exists, `The organization has a project with the slug ${slug}.`, {
      hint: 'Send another slug.',
      details: { slug },
    });
  }
}

export class TooManyProjects extends DomainError {
  constructor({ id, name }: Plan, limit: number, upgradeUrl: string) {
    super(
      PLAN_ERRORS.plan_limit_reached,
      `The plan ${name} has room for ${limit} projects, and the organization has them.`,
      {
        hint: `Delete one that is not needed any more, or choose a larger plan: ${upgradeUrl}`,
        details: { limit, plan: id },
      },
    );
  }
}

/** The variables of one target would be too many, or too large together. */
export class EnvironmentTooLarge extends RequestInvalid {
  constructor(fault: Pick<FieldFault, 'code' | 'message' | 'expected'>) {
    super([{ path: 'variables', in: 'body', ...fault }]);
  }
}
