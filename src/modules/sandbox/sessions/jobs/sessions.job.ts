import { defineSubscription } from '../../../../platform/background/define-event.js';
import { defineSchedule } from '../../../../platform/background/define-schedule.js';
import { orgDeletedEvent } from '../../../orgs/org-deleted.job.js';

export const heldSessionsSchedule = defineSchedule({
  name: 'sandbox-sessions',
  summary: 'Ends sessions of the sandbox that are idle or have reached their time, and reports the others as alive.',
  everyMs: 1_000,
  runsIn: 'each',
});

export const lostSessionsSchedule = defineSchedule({
  name: 'lost-sandbox-sessions',
  summary: 'Gives up sessions of the sandbox whose worker is gone.',
  everyMs: 2_000,
  runsIn: 'each',
  roles: ['api', 'worker'],
});

export const oldSessionsSchedule = defineSchedule({
  name: 'old-sandbox-sessions',
  summary: 'Deletes sessions of the sandbox that ended more than 30 days ago.',
  everyMs: 5 * 60_000,
  runsIn: 'one',
});

export const sandboxOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'sandbox-org-deleted',
  summary: 'Ends the sessions of the sandbox of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
