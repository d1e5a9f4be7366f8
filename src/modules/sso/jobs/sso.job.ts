import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';

export const orgDomainChecksSchedule = defineSchedule({
  name: 'org-domain-checks',
  summary: 'Checks the records of verified domains of organizations each week, and pauses those that miss two checks.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});

export const ssoOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'org-deleted-sso',
  summary: 'Frees the verified domains of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
