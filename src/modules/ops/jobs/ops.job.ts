import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { planRequestEvent } from '../../billing/plan-request.job.js';

export const expiredClaimsSchedule = defineSchedule({
  name: 'expired-claims',
  summary: 'Reopens tasks whose claim was not renewed in time, and deletes tasks that were resolved 180 days ago.',
  everyMs: 2_000,
  runsIn: 'one',
});

export const planRequestSubscription = defineSubscription(planRequestEvent, {
  name: 'plan-requests',
  summary: 'Opens a task for a pending plan request, and resolves it once the request is decided.',
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 1,
});
