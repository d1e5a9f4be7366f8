import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { AgentNotFound } from '../agents.errors.js';
import type { Agent } from '../domain/agent.js';
import { type AgentReach, AgentsStore } from '../persistence/agents.store.js';

/** Finds the agents that callers address, checks their permissions, and records what they do. */
@Injectable()
export class AgentAccess {
  constructor(
    private readonly agents: AgentsStore,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * Returns an agent by id, or by slug within the organization of the call.
   *
   * @throws {AgentNotFound} `agent_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get(call: Call, idOrSlug: string, scope: Scope): Promise<Agent> {
    return allowed(call, await this.agents.find(idOrSlug, reachOf(call)), scope);
  }

  /** {@link get}, and locks the agent until the running transaction ends. */
  async lock(call: Call, idOrSlug: string): Promise<Agent> {
    return allowed(call, await this.agents.lock(idOrSlug, reachOf(call)), 'agents:write');
  }

  /** Writes to the audit log in the running transaction. */
  record(
    by: Call | undefined,
    action: `agent.${string}`,
    { id, orgId }: Pick<Agent, 'id' | 'orgId'>,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.orgs.record({ orgId, action, target: { type: 'agent', id }, details }, by);
  }
}

const reachOf = ({ principal, org }: Call): AgentReach => ({ orgIds: principal.lookupOrgIds, orgId: org.id });

function allowed({ principal }: Call, agent: Agent | undefined, scope: Scope): Agent {
  if (agent === undefined) throw new AgentNotFound();
  principal.require(scope, agent.orgId);
  return agent;
}
