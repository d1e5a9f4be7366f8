import { defineSubscription } from '../../../platform/background/define-event.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';

export const projectsOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'org-deleted-projects',
  summary: 'Deletes the projects of a deleted organization, with their environment variables.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
