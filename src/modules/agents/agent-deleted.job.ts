import { IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

/** An agent was deleted. Its runs end, and other modules remove what they keep for it. */
export class AgentDeletedPayload {
  @IsString() readonly orgId!: string;
  @IsString() readonly agentId!: string;
}

export const agentDeletedEvent = defineEvent({
  name: 'agent-deleted',
  summary: 'An agent was deleted.',
  payload: AgentDeletedPayload,
});
