import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';

export const expiredArtifactsSchedule = defineSchedule({
  name: 'expired-artifacts',
  summary: 'Deletes the files of executions a day after they were written, or with their organization.',
  everyMs: 60_000,
  runsIn: 'one',
});

export const artifactOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'org-deleted-artifacts',
  summary: 'Lets the files of the executions of a deleted organization expire.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
