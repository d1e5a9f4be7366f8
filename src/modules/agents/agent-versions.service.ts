import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { AgentAccess } from './access/agent-access.js';
import type { AgentFacts, AgentVersion } from './agent-definition.js';
import { AgentVersionNotFound } from './agents.errors.js';
import type { Agent } from './domain/agent.js';
import { AgentVersionsStore, type VersionRow } from './persistence/agent-versions.store.js';
import { AgentsStore } from './persistence/agents.store.js';
import { AgentVersioning, versionOf } from './registry/agent-versioning.js';

/** A version as it is stored, with whether new runs use it. */
export interface ShownVersion {
  readonly version: VersionRow;
  readonly isLive: boolean;
}

const MAX_NUMBER = 2_147_483_647;

/** The versions of agents, which never change. */
@Injectable()
export class AgentVersionsService {
  constructor(
    private readonly database: Database,
    private readonly versions: AgentVersionsStore,
    private readonly agents: AgentsStore,
    private readonly versioning: AgentVersioning,
    private readonly access: AgentAccess,
    private readonly clock: Clock,
  ) {}

  /** For background work without a caller. Versions of deleted agents are found. */
  async find(agentId: string, number: number): Promise<AgentVersion | undefined> {
    const row = await this.versions.find(agentId, number);
    return row && versionOf(row);
  }

  /** Returns the version that new runs of the agent use. */
  live(agent: Pick<AgentFacts, 'id' | 'liveVersion'>): Promise<AgentVersion> {
    return this.versioning.liveOf(agent);
  }

  /**
   * Returns the versions of an agent, newest first.
   *
   * @throws {AgentNotFound} `agent_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, idOrSlug: string, page: PageRequest): Promise<Page<ShownVersion>> {
    const agent = await this.access.get(call, idOrSlug, 'agents:read');
    const { items, next } = await this.versions.list(agent.id, page);
    return { items: items.map((version) => shown(agent, version)), next };
  }

  /** @throws {AgentVersionNotFound} `agent_version_not_found`, and as {@link list}. */
  async get(call: Call, idOrSlug: string, number: string): Promise<ShownVersion> {
    const agent = await this.access.get(call, idOrSlug, 'agents:read');
    return shown(agent, await this.require(agent, number));
  }

  /** Makes a version live, older ones included. Runs that have started keep theirs. @throws as {@link get}. */
  promote(call: Call, idOrSlug: string, number: string): Promise<Agent> {
    return this.database.transaction(async () => {
      const before = await this.access.lock(call, idOrSlug);
      const version = versionOf(await this.require(before, number));
      if (version.number === before.liveVersion) return before;
      const live = await this.versioning.liveOf(before);
      const agent: Agent = { ...before, liveVersion: version.number, updatedAt: this.clock.now() };
      await this.agents.save(agent);
      await this.versioning.setMonthlyCost(agent, live.monthlyCostNano, version.monthlyCostNano);
      await this.access.record(call, 'agent.promoted', agent, { version: version.number, before: live.number });
      return agent;
    });
  }

  private async require({ id }: Agent, text: string): Promise<VersionRow> {
    const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Infinity;
    const version = number > MAX_NUMBER ? undefined : await this.versions.find(id, number);
    if (version === undefined) throw new AgentVersionNotFound();
    return version;
  }
}

const shown = ({ liveVersion }: Agent, version: VersionRow): ShownVersion => ({
  version,
  isLive: version.number === liveVersion,
});
