import { IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

/** An organization was deleted. Modules that keep public resources of it remove them. */
export class OrgDeletedPayload {
  @IsString() readonly orgId!: string;
}

export const orgDeletedEvent = defineEvent({
  name: 'org-deleted',
  summary: 'An organization was deleted.',
  payload: OrgDeletedPayload,
});
