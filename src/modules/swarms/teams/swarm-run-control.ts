import { Injectable } from '@nestjs/common';
import type { AgentFacts } from '../../agents/agent-definition.js';
import { AgentVersionsService } from '../../agents/agent-versions.service.js';
import { swarmSubject, swarmWorkersSubject } from '../../credits/budget-subject.js';
import type { NewRun } from '../../runs/new-run.js';
import { RunEndsService } from '../../runs/run-ends.service.js';
import { RunRequestsService } from '../../runs/run-requests.service.js';
import { RunWakesService } from '../../runs/run-wakes.service.js';
import type { Swarm } from '../persistence/swarm-rows.js';
import { type SwarmRun, SwarmRunsStore } from '../persistence/swarm-runs.store.js';

/** Starts, wakes and ends the runs of swarms. They have the permissions of those who created the swarms. */
@Injectable()
export class SwarmRunControl {
  constructor(
    private readonly versions: AgentVersionsService,
    private readonly requests: RunRequestsService,
    private readonly wakes: RunWakesService,
    private readonly ends: RunEndsService,
    private readonly runs: SwarmRunsStore,
  ) {}

  /** Starts a run of each of the agents in the running transaction, and returns the ids. Agents may repeat. */
  async start(
    { id: swarmId, orgId, createdBy, createdByKey }: Swarm,
    role: SwarmRun['role'],
    agents: readonly AgentFacts[],
    input: string,
  ): Promise<string[]> {
    const budgetSubjects = [swarmSubject(swarmId), ...(role === 'worker' ? [swarmWorkersSubject(swarmId)] : [])];
    const starter = { userId: createdBy, keyId: createdByKey };
    const starts: NewRun[] = [];
    for (const agent of agents) {
      const version = await this.versions.live(agent);
      starts.push({ orgId, version, input, starter, trigger: 'swarm', swarmId, budgetSubjects });
    }
    const runIds = (await this.requests.createAll(starts)).map(({ id }) => id);
    await this.runs.insertAll(runIds.map((runId, index) => ({ runId, swarmId, agentId: agents[index]!.id, role })));
    return runIds;
  }

  async wakeCoordinator({ orgId, coordinatorRunId }: Swarm): Promise<void> {
    if (coordinatorRunId !== null) await this.wakes.wake(orgId, [coordinatorRunId]);
  }

  /** Cancels the runs of a swarm that is over, each in a transaction of its own, so that none locks several. */
  async cancelAll({ id, orgId, state }: Swarm): Promise<void> {
    for (const { runId } of await this.runs.activeOf(id))
      await this.ends.cancel(orgId, [runId], `The swarm is over: ${state}.`);
  }
}
