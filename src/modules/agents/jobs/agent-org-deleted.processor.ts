import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Database } from '../../../platform/database/database.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { AgentsStore } from '../persistence/agents.store.js';
import { AgentRemoval } from '../registry/agent-removal.js';
import { agentOrgDeletedSubscription } from './agents.job.js';

@Injectable()
@Handles(agentOrgDeletedSubscription)
export class AgentOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentsStore,
    private readonly removal: AgentRemoval,
  ) {}

  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    for (const id of await this.agents.idsOf(orgId)) {
      await this.database.transaction(async () => {
        // A retry of this job may meet one that is gone.
        if ((await this.agents.lockById(orgId, id)) !== undefined) await this.removal.remove({ id, orgId });
      });
    }
  }
}
