import { IsString } from 'class-validator';
import { defineQueue } from '../../platform/queues/queue-definition.js';

/** A project was deleted: whoever keeps something of it lets it go. */
export class ProjectDeleted {
  @IsString() readonly projectId!: string;
}

export const projectDeletedQueue = defineQueue({
  name: 'project-deleted',
  payload: ProjectDeleted,
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
