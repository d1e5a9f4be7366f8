import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { AgentDeletedPayload } from '../../agents/agent-deleted.job.js';
import { RunsStore } from '../persistence/runs.store.js';
import { RunEndsService } from '../run-ends.service.js';
import { runsAgentDeletedSubscription } from './runs.job.js';

const BATCH = 200;

@Injectable()
@Handles(runsAgentDeletedSubscription)
export class AgentDeletedProcessor implements JobHandler<AgentDeletedPayload> {
  constructor(
    private readonly runs: RunsStore,
    private readonly ends: RunEndsService,
  ) {}

  async handle({ orgId, agentId }: AgentDeletedPayload): Promise<void> {
    for (;;) {
      const ids = await this.runs.activeIdsOf({ agentId }, BATCH);
      if (ids.length === 0) return;
      await this.ends.cancel(orgId, ids, 'The agent was deleted.');
    }
  }
}
