import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';
import { projectDeletedEvent } from '../../projects/project-deleted.job.js';

export const deletedDatabasesSchedule = defineSchedule({
  name: 'deleted-databases',
  summary: 'Removes the data of databases that were deleted 7 days ago.',
  everyMs: 600_000,
  runsIn: 'one',
});

export const unusedBranchesSchedule = defineSchedule({
  name: 'unused-database-branches',
  summary: 'Deletes the branches of databases for previews that nothing has used for 7 days.',
  everyMs: 600_000,
  runsIn: 'one',
});

export const oldOperationsSchedule = defineSchedule({
  name: 'old-database-operations',
  summary: 'Deletes the records of operations on databases 30 days after their end.',
  everyMs: 3_600_000,
  runsIn: 'one',
});

export const lostCreationsSchedule = defineSchedule({
  name: 'lost-database-creations',
  summary: 'Gives databases that a lost host did not create to another host.',
  everyMs: 30_000,
  runsIn: 'one',
});

export const databaseQuotasSchedule = defineSchedule({
  name: 'database-quotas',
  summary: 'Makes databases read-only beyond their quota and disk or without credits, and writable again.',
  everyMs: 15_000,
  runsIn: 'each',
  roles: ['databases'],
});

export const databasesOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'org-deleted-databases',
  summary: 'Deletes the databases of a deleted organization.',
  attempts: 12,
  backoffMs: 1_000,
  concurrency: 2,
});

export const databasesProjectDeletedSubscription = defineSubscription(projectDeletedEvent, {
  name: 'project-deleted-databases',
  summary: 'Detaches databases from a deleted project. They stay in their organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
