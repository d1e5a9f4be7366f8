import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { WorkBudgetsService } from '../../credits/work-budgets.service.js';
import { agentDeletedEvent } from '../agent-deleted.job.js';
import type { Agent } from '../domain/agent.js';
import { AgentSecretsStore } from '../persistence/agent-secrets.store.js';
import { AgentsStore } from '../persistence/agents.store.js';
import { MemoriesStore } from '../persistence/memories.store.js';
import { MemoryBlocksStore } from '../persistence/memory-blocks.store.js';
import { subjectOf } from './agent-versioning.js';

/** Removes an agent with its secrets and its memory. Versions stay for the runs that used them. */
@Injectable()
export class AgentRemoval {
  constructor(
    private readonly agents: AgentsStore,
    private readonly secrets: AgentSecretsStore,
    private readonly blocks: MemoryBlocksStore,
    private readonly memories: MemoriesStore,
    private readonly budgets: WorkBudgetsService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Removes it in the running transaction, which has locked it. */
  async remove({ id, orgId }: Pick<Agent, 'id' | 'orgId'>): Promise<void> {
    await this.agents.markDeleted(id, this.clock.now());
    await this.secrets.removeAll(id);
    await this.blocks.removeAll(id);
    await this.memories.removeAll(id);
    await this.budgets.set(orgId, subjectOf(id), 'month', null);
    await this.outbox.publish(agentDeletedEvent, { orgId, agentId: id });
  }
}
