import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { AgentDeletedPayload } from '../../agents/agent-deleted.job.js';
import { SchedulesStore } from '../persistence/schedules.store.js';
import { scheduleAgentDeletedSubscription } from './schedules.job.js';

@Injectable()
@Handles(scheduleAgentDeletedSubscription)
export class ScheduleAgentDeletedProcessor implements JobHandler<AgentDeletedPayload> {
  constructor(private readonly schedules: SchedulesStore) {}

  async handle({ orgId, agentId }: AgentDeletedPayload): Promise<void> {
    await this.schedules.deleteOfAgent(orgId, agentId);
  }
}
