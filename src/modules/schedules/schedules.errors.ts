import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import type { Plan } from '../plans/plan.js';
import { PLAN_ERRORS } from '../plans/plans.errors.js';

export const SCHEDULE_ERRORS = defineErrors({
  schedule_not_found: { type: 'not_found_error', status: 404, title: 'Schedule not found.' },
});

export class ScheduleNotFound extends DomainError {
  constructor() {
    super(SCHEDULE_ERRORS.schedule_not_found, 'Schedule not found.', {
      hint: 'List the schedules of the organization: GET /api/v1/schedules.',
    });
  }
}

export class TooManySchedules extends DomainError {
  constructor({ id, name, schedules }: Plan, upgradeUrl: string) {
    super(PLAN_ERRORS.plan_limit_reached, `Schedule limit reached: ${name} allows ${schedules}.`, {
      hint: `Delete a schedule or upgrade: ${upgradeUrl}`,
      details: { limit: schedules, plan: id },
    });
  }
}
