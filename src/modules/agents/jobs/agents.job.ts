import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';

export const agentsBeyondPlanSchedule = defineSchedule({
  name: 'agents-beyond-plan',
  summary: 'Pauses the newest agents beyond the limit of the plan, and resumes them when there is room again.',
  everyMs: 60_000,
  runsIn: 'one',
});

export const agentOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'org-deleted-agents',
  summary: 'Deletes the agents of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
