import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { AgentAccess } from '../access/agent-access.js';
import type { Agent, AgentState } from '../domain/agent.js';
import type { DefinitionInput } from '../domain/definition-reader.js';
import { AgentsStore } from '../persistence/agents.store.js';
import { AgentRegistry, type NewAgent } from './agent-registry.js';
import { AgentRemoval } from './agent-removal.js';
import { AgentVersioning } from './agent-versioning.js';

export interface CreateAgentInput extends NewAgent {
  readonly definition: DefinitionInput;
}

/** Absent fields stay as they are. */
export interface UpdateAgentInput {
  readonly name?: string;
  readonly description?: string | null;
  readonly state?: AgentState;
  readonly definition: DefinitionInput;
  /** False for a version that does not become live. */
  readonly promote: boolean;
}

/** Manages the agents of an organization. */
@Injectable()
export class AgentManagementService {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentsStore,
    private readonly access: AgentAccess,
    private readonly registry: AgentRegistry,
    private readonly versioning: AgentVersioning,
    private readonly removal: AgentRemoval,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an agent in the organization of the call, with its first version.
   *
   * @throws {RequestInvalid} `invalid_request`
   * @throws {TooManyAgents} `plan_limit_reached`
   * @throws {AgentSlugTaken} `already_exists`
   */
  async create(call: Call, { definition: given, ...input }: CreateAgentInput): Promise<Agent> {
    const definition = await this.versioning.read(call.org.id, given);
    return this.database.transaction(async () => {
      const agent = await this.registry.add(call, input);
      await this.versioning.add(agent, definition, call.principal.user.id);
      await this.versioning.setMonthlyCost(agent, null, definition.monthlyCostNano);
      await this.access.record(call, 'agent.created', agent, { name: agent.name, slug: agent.slug });
      return agent;
    });
  }

  /** Newest first. */
  list({ org }: Call, page: PageRequest): Promise<Page<Agent>> {
    return this.agents.list(org.id, page);
  }

  /** @throws {AgentNotFound} `agent_not_found` @throws {InsufficientScopes} `insufficient_scopes` */
  get(call: Call, idOrSlug: string): Promise<Agent> {
    return this.access.get(call, idOrSlug, 'agents:read');
  }

  /**
   * Changes an agent. A definition that differs from the live one becomes a version.
   *
   * @throws as {@link get}.
   * @throws {RequestInvalid} `invalid_request`
   * @throws {TooManyAgents} `plan_limit_reached`: the plan has no room for one more active agent.
   */
  update(call: Call, idOrSlug: string, input: UpdateAgentInput): Promise<Agent> {
    return this.database.transaction(async () => {
      await this.requireRoom(call, idOrSlug, input);
      const before = await this.access.lock(call, idOrSlug);
      const after = await this.versioning.revise(withFields(before, input), input, call.principal.user.id);
      const changed = FIELDS.filter((field) => after[field] !== before[field]);
      if (changed.length === 0) return before;
      const agent = { ...after, updatedAt: this.clock.now() };
      await this.agents.save(agent);
      await this.access.record(call, actionOf(before, agent), agent, { changed: changed.map(nameOf) });
      return agent;
    });
  }

  /** Deletes an agent with its secrets and its memory. Its runs are cancelled. @throws as {@link get}. */
  delete(call: Call, idOrSlug: string): Promise<void> {
    return this.database.transaction(async () => {
      const agent = await this.access.lock(call, idOrSlug);
      await this.removal.remove(agent);
      await this.access.record(call, 'agent.deleted', agent, { name: agent.name, slug: agent.slug });
    });
  }

  /** Resuming locks the organization, which is always locked before the agent. */
  private async requireRoom(call: Call, idOrSlug: string, { state }: UpdateAgentInput): Promise<void> {
    if (state !== 'active') return;
    const agent = await this.access.get(call, idOrSlug, 'agents:write');
    if (agent.state === 'paused') await this.registry.requireRoomForActive(call, agent.orgId);
  }
}

const FIELDS = ['name', 'description', 'state', 'pausedBecause', 'liveVersion', 'lastVersion'] as const;

const nameOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function withFields(agent: Agent, { name, description, state }: UpdateAgentInput): Agent {
  return {
    ...agent,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(state === undefined ? {} : { state, pausedBecause: state === 'paused' ? 'person' : null }),
  };
}

function actionOf(before: Agent, after: Agent): 'agent.changed' | 'agent.paused' | 'agent.resumed' {
  if (before.state === after.state) return 'agent.changed';
  return after.state === 'active' ? 'agent.resumed' : 'agent.paused';
}
