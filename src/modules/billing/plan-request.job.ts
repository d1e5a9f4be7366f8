import { IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

/** A plan request was created, changed or decided. Subscribers look up which of these happened. */
export class PlanRequestPayload {
  @IsString() readonly orgId!: string;
}

export const planRequestEvent = defineEvent({
  name: 'plan-request',
  summary: 'A plan request was created, changed, decided or withdrawn.',
  payload: PlanRequestPayload,
});
