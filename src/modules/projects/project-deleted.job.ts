import { IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

/** A project was deleted: whoever keeps something of it lets it go. */
export class ProjectDeletedPayload {
  @IsString() readonly projectId!: string;
}

export const projectDeletedEvent = defineEvent({
  name: 'project-deleted',
  summary: 'A project was deleted.',
  payload: ProjectDeletedPayload,
});
