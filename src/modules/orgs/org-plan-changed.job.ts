import { IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

/** The plan of an organization has changed. Subscribers read the current plan, because another change may follow. */
export class OrgPlanChangedPayload {
  @IsString() readonly orgId!: string;
}

export const orgPlanChangedEvent = defineEvent({
  name: 'org-plan-changed',
  summary: 'The plan of an organization has changed.',
  payload: OrgPlanChangedPayload,
});
