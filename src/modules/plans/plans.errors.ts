import { defineErrors } from '../../platform/errors/define-errors.js';

export const PLAN_ERRORS = defineErrors({
  plan_limit_reached: {
    type: 'authorization_error',
    status: 403,
    title: 'The limit of the plan is reached.',
    dashboard: '/~/billing',
  },
  feature_not_in_plan: {
    type: 'authorization_error',
    status: 403,
    title: 'The plan does not include this feature.',
    dashboard: '/~/billing',
  },
});
