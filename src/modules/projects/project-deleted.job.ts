import { IsString } from 'class-validator';
import { defineJob } from '../../platform/background/define-job.js';

/** A project was deleted: whoever keeps something of it lets it go. */
export class ProjectDeletedPayload {
  @IsString() readonly projectId!: string;
}

export const projectDeletedEvent = defineJob({
  name: 'project-deleted',
  payload: ProjectDeletedPayload,
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
