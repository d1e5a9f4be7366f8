import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { WorkBudgetsService } from '../../credits/work-budgets.service.js';
import { AgentFull } from '../agents.errors.js';
import type { AgentDefinition, AgentVersion } from '../agent-definition.js';
import type { Agent } from '../domain/agent.js';
import { type DefinitionInput, DefinitionReader } from '../domain/definition-reader.js';
import { ToolUses } from '../domain/tool-uses.js';
import { definitionOf, isSameDefinition, storedOf } from '../domain/stored-definition.js';
import { AgentVersionsStore, type VersionRow } from '../persistence/agent-versions.store.js';

const MAX_VERSIONS = 1_000;

/** Absent fields of the definition stay as they are in the live version. */
export interface Revision {
  readonly definition: DefinitionInput;
  /** False for a version that does not become live. */
  readonly promote: boolean;
}

/** Adds versions to agents, and keeps the monthly budget of an agent equal to that of its live version. */
@Injectable()
export class AgentVersioning {
  constructor(
    private readonly versions: AgentVersionsStore,
    private readonly definitions: DefinitionReader,
    private readonly tools: ToolUses,
    private readonly budgets: WorkBudgetsService,
    private readonly clock: Clock,
  ) {}

  /** Reads the definition of a new agent of an organization. @throws {RequestInvalid} `invalid_request` */
  async read(orgId: string, given: DefinitionInput): Promise<AgentDefinition> {
    const definition = this.definitions.create(given);
    await this.tools.requireResources(orgId, definition.tools);
    return definition;
  }

  /**
   * Adds a version if the definition differs from the live one, and returns the agent with its new numbers.
   *
   * @throws {RequestInvalid} `invalid_request`
   */
  async revise(agent: Agent, { definition: given, promote }: Revision, by: string): Promise<Agent> {
    if (Object.keys(given).length === 0) return agent;
    const live = await this.liveOf(agent);
    const definition = this.definitions.update(live, given);
    if (isSameDefinition(live, definition)) return agent;
    // A resource that was deleted since does not hold up other changes.
    if (given.tools !== undefined) await this.tools.requireResources(agent.orgId, definition.tools);
    const number = agent.lastVersion + 1;
    const next: Agent = { ...agent, lastVersion: number, liveVersion: promote ? number : agent.liveVersion };
    await this.add(next, definition, by);
    if (promote) await this.setMonthlyCost(next, live.monthlyCostNano, definition.monthlyCostNano);
    return next;
  }

  /** Adds a version. Its number is the last one of the agent. */
  async add(agent: Agent, definition: AgentDefinition, createdBy: string): Promise<void> {
    if (agent.lastVersion > MAX_VERSIONS)
      throw new AgentFull('', {
        code: 'max_versions',
        message: `An agent can have ${MAX_VERSIONS} versions. Create another agent.`,
        expected: { max: MAX_VERSIONS },
      });
    const { id: agentId, orgId, lastVersion: number } = agent;
    const createdAt = this.clock.now();
    await this.versions.insert({ agentId, orgId, number, definition: storedOf(definition), createdAt, createdBy });
  }

  async liveOf({ id, liveVersion }: Pick<Agent, 'id' | 'liveVersion'>): Promise<AgentVersion> {
    const row = await this.versions.find(id, liveVersion);
    if (row === undefined) throw new Error(`The live version ${liveVersion} of ${id} is missing.`);
    return versionOf(row);
  }

  /** Sets the budget of the month when a live version replaces another one. Null means no limit. */
  async setMonthlyCost({ id, orgId }: Agent, before: bigint | null, after: bigint | null): Promise<void> {
    if (before !== after) await this.budgets.set(orgId, subjectOf(id), 'month', after);
  }
}

/** The subject of budgets that all work of an agent draws from. */
export const subjectOf = (agentId: string): string => `agent:${agentId}`;

export const versionOf = ({ agentId, orgId, number, definition }: VersionRow): AgentVersion => ({
  ...definitionOf(definition),
  agentId,
  orgId,
  number,
});
