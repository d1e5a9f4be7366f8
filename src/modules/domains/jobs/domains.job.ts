import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { defineSubscription } from '../../../platform/background/define-event.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';
import { projectDeletedEvent } from '../../projects/project-deleted.job.js';

export const domainChecksSchedule = defineSchedule({
  name: 'domain-checks',
  summary: 'Checks the records of domains that are due: active ones daily, others more often.',
  everyMs: 60_000,
  runsIn: 'one',
});

export const domainProjectDeletedSubscription = defineSubscription(projectDeletedEvent, {
  name: 'project-deleted-domains',
  summary: 'Removes the domains of a deleted project.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});

export const domainOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'org-deleted-domains',
  summary: 'Removes the domains of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
