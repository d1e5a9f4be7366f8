import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { AgentFacts } from '../../agents/agent-definition.js';
import { AgentsService } from '../../agents/agents.service.js';
import { workerBriefing } from '../domain/briefings.js';
import { missingWorkers } from '../domain/missing-workers.js';
import { isSwarmOver, type Swarm } from '../persistence/swarm-rows.js';
import { SwarmRunsStore } from '../persistence/swarm-runs.store.js';
import { SwarmTasksStore } from '../persistence/swarm-tasks.store.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { SwarmRunControl } from './swarm-run-control.js';

/**
 * Does what a change of a swarm asks of its runs. The end of a run locks the run first and its swarm second, so nothing
 * here locks a run while it has locked the swarm.
 */
@Injectable()
export class SwarmTurns {
  constructor(
    private readonly database: Database,
    private readonly swarms: SwarmsStore,
    private readonly tasks: SwarmTasksStore,
    private readonly runs: SwarmRunsStore,
    private readonly agents: AgentsService,
    private readonly control: SwarmRunControl,
  ) {}

  /** Cancels the runs of a swarm that is over. Otherwise wakes the coordinator, and starts workers if it may. */
  async take({ id, orgId }: { id: string; orgId: string }, mayStart: boolean): Promise<void> {
    const swarm = await this.swarms.find([orgId], id);
    if (swarm === undefined) return;
    if (isSwarmOver(swarm.state)) {
      await this.control.cancelAll(swarm);
      await this.swarms.turnDone(id);
      return;
    }
    const { awaitedMoves, moves } = swarm;
    if (awaitedMoves !== null && moves > awaitedMoves) await this.control.wakeCoordinator(swarm);
    await this.database.transaction(async () => {
      const locked = await this.swarms.lockIfFree(id);
      // What has changed since is for the next turn, and so is a swarm that another transaction has locked.
      if (locked === undefined || locked.moves !== moves || isSwarmOver(locked.state)) return;
      if (mayStart && locked.state === 'running') await this.startWorkers(locked);
      await this.swarms.turnDone(id);
    });
  }

  private async startWorkers(swarm: Swarm): Promise<void> {
    const { open } = (await this.tasks.counts([swarm.id])).get(swarm.id)!;
    if (open === 0) return;
    const active = (await this.runs.activeOf(swarm.id)).filter(({ role }) => role === 'worker');
    const tasks = open + (await this.tasks.countHeldByRuns(swarm.id));
    const found = new Map<string, AgentFacts | undefined>();
    for (const { agentId } of swarm.workers) found.set(agentId, await this.agents.find(swarm.orgId, agentId));
    const usable = swarm.workers.filter(({ agentId }) => found.get(agentId)?.isActive === true);
    const agents = missingWorkers(usable, { active, tasks }).map((agentId) => found.get(agentId)!);
    if (agents.length > 0) await this.control.start(swarm, 'worker', agents, workerBriefing(swarm));
  }
}
