import { IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

/** The request of an organization for a plan has been made, changed or decided. Which of these it was is looked up. */
export class PlanRequestPayload {
  @IsString() readonly orgId!: string;
}

export const planRequestEvent = defineEvent({
  name: 'plan-request',
  summary: 'A plan request was made, changed, decided or withdrawn.',
  payload: PlanRequestPayload,
});
