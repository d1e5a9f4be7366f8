import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { AgentFacts } from '../../agents/agent-definition.js';
import { AgentsService } from '../../agents/agents.service.js';
import type { Call } from '../../auth/caller.js';
import { swarmSubject, swarmWorkersSubject } from '../../credits/budget-subject.js';
import { WorkBudgetsService } from '../../credits/work-budgets.service.js';
import { AgentPaused } from '../../runs/runs.errors.js';
import { SwarmGate } from '../board/swarm-gate.js';
import { coordinatorBriefing } from '../domain/briefings.js';
import type { Swarm, SwarmWorker } from '../persistence/swarm-rows.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { SwarmAgentsNotFound, TooManySwarms } from '../swarms.errors.js';
import { SWARM_ID } from '../swarms.ids.js';
import { SwarmRunControl } from './swarm-run-control.js';

const MAX_ACTIVE_SWARMS = 100;

/** A swarm to create. Agents are named by id or slug. */
export interface CreateSwarmInput {
  readonly name: string;
  readonly goal: string;
  readonly coordinator: string;
  readonly workers: readonly SwarmWorker[];
  readonly costNano: bigint;
  /** What of it is left to the coordinator. */
  readonly reserveNano: bigint;
}

/** Adds swarms with their budgets and the runs of their coordinators. */
@Injectable()
export class SwarmCreation {
  constructor(
    private readonly swarms: SwarmsStore,
    private readonly agents: AgentsService,
    private readonly control: SwarmRunControl,
    private readonly gate: SwarmGate,
    private readonly budgets: WorkBudgetsService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Runs in the transaction of its caller. @throws as `SwarmsService.create`. */
  async add(call: Call, input: CreateSwarmInput): Promise<Swarm> {
    const { id: orgId } = call.org;
    // Without it, the runs could not ask a model.
    call.principal.require('ai:invoke', orgId);
    await this.gate.lock(call, orgId);
    if ((await this.swarms.countActive(orgId)) >= MAX_ACTIVE_SWARMS) throw new TooManySwarms(MAX_ACTIVE_SWARMS);
    const { coordinator, workers } = await this.agentsOf(orgId, input);
    const id = this.ids.next(SWARM_ID);
    const { name, goal, costNano, reserveNano } = input;
    const { user, credential } = call.principal;
    await this.swarms.insert({
      ...{ id, orgId, name, goal, coordinatorAgentId: coordinator.id, workers, costNano, reserveNano },
      createdBy: user.id,
      createdByKey: credential.type === 'api_key' ? credential.keyId : null,
      createdAt: this.clock.now(),
    });
    await this.budgets.addAll([
      { orgId, subject: swarmSubject(id), window: 'total', limitNano: costNano },
      { orgId, subject: swarmWorkersSubject(id), window: 'total', limitNano: costNano - reserveNano },
    ]);
    const swarm = (await this.swarms.find([orgId], id))!;
    const [runId] = await this.control.start(swarm, 'coordinator', [coordinator], coordinatorBriefing(swarm));
    await this.swarms.setCoordinatorRun(id, runId!);
    return { ...swarm, coordinatorRunId: runId! };
  }

  /** Finds all agents, and reports every one that is missing. */
  private async agentsOf(
    orgId: string,
    input: CreateSwarmInput,
  ): Promise<{ coordinator: AgentFacts; workers: SwarmWorker[] }> {
    const missing: string[] = [];
    const find = async (idOrSlug: string, path: string): Promise<AgentFacts | undefined> => {
      const agent = await this.agents.find(orgId, idOrSlug);
      if (agent === undefined) missing.push(path);
      else if (!agent.isActive) throw new AgentPaused(agent.slug);
      return agent;
    };
    const coordinator = await find(input.coordinator, 'coordinator.agent_id');
    // An agent that is listed twice, by its id and by its slug, is one.
    const counts = new Map<string, number>();
    for (const [index, { agentId, count }] of input.workers.entries()) {
      const agent = await find(agentId, `workers[${index}].agent_id`);
      if (agent !== undefined) counts.set(agent.id, (counts.get(agent.id) ?? 0) + count);
    }
    if (missing.length > 0 || coordinator === undefined) throw new SwarmAgentsNotFound(missing);
    return { coordinator, workers: [...counts].map(([agentId, count]) => ({ agentId, count })) };
  }
}
