import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';

export const CRON_ERRORS = defineErrors({
  cron_not_found: { type: 'not_found_error', status: 404, title: 'Cron not found.' },
  cron_from_file: { type: 'conflict_error', status: 409, title: 'The cron is set by a file of the repository.' },
});

export class CronNotFound extends DomainError {
  constructor() {
    super(CRON_ERRORS.cron_not_found, 'Cron not found.', {
      hint: 'List the crons of the project: GET /api/v1/projects/{project_id}/crons.',
    });
  }
}

/** The next production deploy would undo the change. */
export class CronFromFile extends DomainError {
  constructor() {
    super(CRON_ERRORS.cron_from_file, 'The cron is set by vercel.json of the production deploy.', {
      hint: 'Change it there and deploy to production, or disable it: {"enabled": false}.',
    });
  }
}

export class TooManyCrons extends RequestInvalid {
  constructor(limit: number) {
    super([
      {
        path: '',
        in: 'body',
        code: 'max_crons',
        message: `A project can have ${limit} crons. Delete one that is no longer used.`,
        expected: { max: limit },
      },
    ]);
  }
}
