import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';
import { projectDeletedEvent } from '../../projects/project-deleted.job.js';
import { repositoryPushedEvent } from '../../repositories/repository-pushed.job.js';

export const repositoryPushedSubscription = defineSubscription(repositoryPushedEvent, {
  name: 'repository-pushed',
  summary: 'Deploys the pushed commit in each project that is linked to the repository.',
  attempts: 5,
  backoffMs: 1_000,
  concurrency: 4,
});

export const projectDeletedSubscription = defineSubscription(projectDeletedEvent, {
  name: 'project-deleted',
  summary: 'Takes down the deploys of a deleted project.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});

export const orgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'org-deleted',
  summary: 'Takes down the deploys of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});

export const deployAdmissionSchedule = defineSchedule({
  name: 'deploy-admission',
  summary: 'Reports the slots of this worker, recovers deploys of lost workers, and admits queued deploys.',
  everyMs: 1_000,
  firstAfterMs: 0,
  runsIn: 'each',
});
