import { Injectable } from '@nestjs/common';
import type { AgentVersion } from './agent-definition.js';
import { LiveAgentsStore } from './persistence/live-agents.store.js';
import { versionOf } from './registry/agent-versioning.js';

/** An agent with the version that new runs use. */
export interface LiveAgent {
  /** False for an agent that a person or a smaller plan has paused. */
  readonly isActive: boolean;
  readonly version: AgentVersion;
}

/** Reads many agents at once, for background work without a caller. */
@Injectable()
export class LiveAgentsService {
  constructor(private readonly agents: LiveAgentsStore) {}

  /** Returns the agents by id, in one query. Deleted ones are left out. */
  async of(agentIds: readonly string[]): Promise<ReadonlyMap<string, LiveAgent>> {
    const rows = await this.agents.findAll([...new Set(agentIds)]);
    return new Map(rows.map((row) => [row.agentId, { isActive: row.isActive, version: versionOf(row) }]));
  }
}
