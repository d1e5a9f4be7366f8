import { Injectable } from '@nestjs/common';
import type { CallingRun, ToolOutcome } from '../../agents/agent-tool.js';
import { SwarmGate } from '../board/swarm-gate.js';
import type { Swarm } from '../persistence/swarm-rows.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { refused } from './tool-inputs.js';

/** Lets runs of swarms use their boards. */
@Injectable()
export class BoardMember {
  constructor(
    private readonly swarms: SwarmsStore,
    private readonly gate: SwarmGate,
  ) {}

  /** Calls `work` with the swarm of the run. */
  async of({ orgId, swarmId }: CallingRun, work: (swarm: Swarm) => Promise<ToolOutcome>): Promise<ToolOutcome> {
    const swarm = swarmId === null ? undefined : await this.swarms.find([orgId], swarmId);
    return swarm === undefined ? refused('not_in_swarm', 'Only runs of a swarm have a board.') : work(swarm);
  }

  /** {@link of}, for what begins something new. @throws {FeatureNotInPlan} `feature_not_in_plan` */
  async inPlan(run: CallingRun, work: (swarm: Swarm) => Promise<ToolOutcome>): Promise<ToolOutcome> {
    return this.of(run, async (swarm) => {
      await this.gate.require(swarm.orgId);
      return work(swarm);
    });
  }

  /** {@link inPlan}, for the coordinator alone. */
  coordinator(run: CallingRun, work: (swarm: Swarm) => Promise<ToolOutcome>): Promise<ToolOutcome> {
    return this.inPlan(run, async (swarm) =>
      swarm.coordinatorRunId === run.id
        ? work(swarm)
        : refused('not_coordinator', 'Only the coordinator of the swarm can do this.'),
    );
  }
}
