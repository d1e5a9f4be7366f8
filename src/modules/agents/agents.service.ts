import { Injectable } from '@nestjs/common';
import type { Call } from '../auth/caller.js';
import type { Scope } from '../auth/scopes.js';
import { AgentAccess } from './access/agent-access.js';
import type { AgentFacts } from './agent-definition.js';
import { factsOf } from './domain/agent.js';
import { AgentsStore } from './persistence/agents.store.js';
import { AgentPlanRoom } from './registry/agent-plan-room.js';

/** Agents for other modules. */
@Injectable()
export class AgentsService {
  constructor(
    private readonly agents: AgentsStore,
    private readonly access: AgentAccess,
    private readonly room: AgentPlanRoom,
  ) {}

  /**
   * Returns an agent that a caller addresses by id, or by slug within the organization of the call.
   *
   * @throws {AgentNotFound} `agent_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get(call: Call, idOrSlug: string, scope: Scope): Promise<AgentFacts> {
    return factsOf(await this.access.get(call, idOrSlug, scope));
  }

  /** For background work without a caller. Returns undefined for a deleted agent. */
  async find(orgId: string, idOrSlug: string): Promise<AgentFacts | undefined> {
    const agent = await this.agents.find(idOrSlug, { orgIds: [orgId], orgId });
    return agent && factsOf(agent);
  }

  /** False when the plan has become too small for an active agent, which is paused soon. Ask before a run starts. */
  isWithinPlan(agent: AgentFacts): Promise<boolean> {
    return this.room.allows(agent);
  }
}
