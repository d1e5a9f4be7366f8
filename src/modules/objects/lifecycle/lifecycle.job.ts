import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';
import { projectDeletedEvent } from '../../projects/project-deleted.job.js';

export const expiredObjectsSchedule = defineSchedule({
  name: 'expired-objects',
  summary: 'Deletes objects of buckets whose objects expire after days.',
  everyMs: 300_000,
  runsIn: 'one',
});

export const bucketOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'bucket-org-deleted',
  summary: 'Deletes the buckets, objects and access keys of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 1,
});

export const bucketProjectDeletedSubscription = defineSubscription(projectDeletedEvent, {
  name: 'bucket-project-deleted',
  summary: 'Detaches buckets from a deleted project. The buckets stay.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
