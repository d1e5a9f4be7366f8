import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { githubEvent } from '../../github/github-event.job.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';

export const repositoriesSchedule = defineSchedule({
  name: 'repository-upkeep',
  summary: 'Completes interrupted pushes and deletions, and compacts repositories.',
  everyMs: 5 * 60_000,
  runsIn: 'each',
});

export const githubEventSubscription = defineSubscription(githubEvent, {
  name: 'github-event',
  summary: 'Records what changed at GitHub, and reports pushes.',
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 4,
});

export const repositoriesOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'org-deleted-repositories',
  summary: 'Deletes the repositories of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
