import { Injectable } from '@nestjs/common';
import { type LiveAgent, LiveAgentsService } from '../../agents/live-agents.service.js';
import { ScheduleGate } from '../domain/schedule-gate.js';
import type { Schedule } from '../persistence/schedule-rows.js';
import type { Refusal } from './fire-decisions.js';

/** What is known of the agents and plans of a round. */
export interface RoundFacts {
  readonly agents: ReadonlyMap<string, LiveAgent>;
  /** Returns why the schedule cannot start a run now, or undefined. */
  readonly refusalOf: (schedule: Schedule) => Refusal | undefined;
}

/** Finds out in two queries which schedules of a round can start runs. */
@Injectable()
export class FireRefusals {
  constructor(
    private readonly gate: ScheduleGate,
    private readonly agents: LiveAgentsService,
  ) {}

  async of(schedules: readonly Schedule[]): Promise<RoundFacts> {
    const allowed = await this.gate.allowed(schedules.map(({ orgId }) => orgId));
    const agents = await this.agents.of(schedules.map(({ agentId }) => agentId));
    return {
      agents,
      refusalOf: ({ orgId, agentId }) => {
        if (!allowed.has(orgId)) return { kind: 'plan' };
        const agent = agents.get(agentId);
        if (agent?.version.orgId !== orgId) return { kind: 'failure', reason: 'agent_not_found', counts: true };
        return agent.isActive ? undefined : { kind: 'failure', reason: 'agent_paused', counts: false };
      },
    };
  }
}
