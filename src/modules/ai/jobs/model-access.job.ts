import { defineSubscription } from '../../../platform/background/define-event.js';
import { projectDeletedEvent } from '../../projects/project-deleted.job.js';

export const modelAccessProjectDeletedSubscription = defineSubscription(projectDeletedEvent, {
  name: 'project-deleted-model-access',
  summary: 'Revokes the key with which deploys of a deleted project called models.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
