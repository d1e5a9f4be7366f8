import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLAN_IDS, PLANS } from '../../plans/plan.js';
import { AgentAccess } from '../access/agent-access.js';
import { AgentPlanRoomStore } from '../persistence/agent-plan-room.store.js';
import { AgentsStore } from '../persistence/agents.store.js';

const SMALLEST = Math.min(...PLAN_IDS.map((id) => PLANS[id].limits.agents ?? Infinity));

/** Pauses the agents for which a smaller plan has no room, and resumes them when there is room again. */
@Injectable()
export class AgentPlanRoom {
  constructor(
    private readonly database: Database,
    private readonly room: AgentPlanRoomStore,
    private readonly agents: AgentsStore,
    private readonly orgs: OrgDirectory,
    private readonly access: AgentAccess,
    private readonly clock: Clock,
  ) {}

  /** Returns organizations after this id that {@link fit} may concern, in their order. */
  candidates(after: string, limit: number): Promise<string[]> {
    return this.room.candidates(after, SMALLEST, limit);
  }

  /** Fits the agents of organizations into their plans. Those of deleted organizations stay as they are. */
  fit(orgIds: readonly string[]): Promise<void> {
    return this.database.transaction(async () => {
      const plans = await this.orgs.plansOf(orgIds);
      const allowances = [...plans].map(([orgId, plan]) => ({ orgId, limit: PLANS[plan].limits.agents }));
      const changed = await this.room.fit(allowances, this.clock.now());
      for (const agent of changed) {
        const action = agent.state === 'active' ? 'agent.resumed' : 'agent.paused';
        await this.access.record(undefined, action, agent, { because: 'plan' });
      }
    });
  }

  /** False for an agent that the next {@link fit} pauses, because the plan has become too small for it. */
  async allows({ id, orgId }: { readonly id: string; readonly orgId: string }): Promise<boolean> {
    const plan = await this.orgs.planOf(orgId);
    if (plan === undefined) return false;
    const limit = PLANS[plan].limits.agents;
    return limit === null || (await this.agents.countActiveBefore({ orgId, id })) < limit;
  }
}
