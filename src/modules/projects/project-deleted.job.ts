import { IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

/** Published when a project was deleted, so that other modules remove what they keep for it. */
export class ProjectDeletedPayload {
  @IsString() readonly projectId!: string;
}

export const projectDeletedEvent = defineEvent({
  name: 'project-deleted',
  summary: 'A project was deleted.',
  payload: ProjectDeletedPayload,
});
