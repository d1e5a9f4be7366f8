import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { freeSlugOf } from '../../../platform/text/slug.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import { AGENT_ID } from '../agents.ids.js';
import { TooManyAgents } from '../agents.errors.js';
import type { Agent } from '../domain/agent.js';
import { AgentsStore } from '../persistence/agents.store.js';

export interface NewAgent {
  readonly name: string;
  readonly slug: string | undefined;
  readonly description: string | null;
}

/** Adds agents within the limit of the plan, and resumes them within it. */
@Injectable()
export class AgentRegistry {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly agents: AgentsStore,
    private readonly orgs: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds an agent to the organization of the call, in the running transaction. It counts and chooses a slug under the
   * lock of the organization, so that concurrent creations see each other.
   *
   * @throws {TooManyAgents} `plan_limit_reached`
   * @throws {AgentSlugTaken} `already_exists`
   */
  async add(call: Call, { name, slug, description }: NewAgent): Promise<Agent> {
    const orgId = call.org.id;
    await this.requireRoom(call, orgId, () => this.agents.count(orgId));
    const at = this.clock.now();
    const agent: Agent = {
      id: this.ids.next(AGENT_ID),
      orgId,
      name,
      slug: slug ?? freeSlugOf(name, { taken: await this.agents.slugsOf(orgId), otherwise: 'agent' }),
      description,
      state: 'active',
      pausedBecause: null,
      liveVersion: 1,
      lastVersion: 1,
      createdAt: at,
      updatedAt: at,
      createdBy: call.principal.user.id,
    };
    await this.agents.insert(agent);
    return agent;
  }

  /**
   * Requires room for one more active agent, under the lock of the organization, which is always taken before that of
   * an agent.
   *
   * @throws {TooManyAgents} `plan_limit_reached`
   */
  requireRoomForActive(call: Call, orgId: string): Promise<void> {
    return this.requireRoom(call, orgId, () => this.agents.countActive(orgId));
  }

  private async requireRoom(call: Call, orgId: string, count: () => Promise<number>): Promise<void> {
    const plan = PLANS[await this.orgs.lockAndGetPlan(call, orgId)];
    const limit = plan.limits.agents;
    if (limit !== null && (await count()) >= limit) throw new TooManyAgents(plan, limit, this.planSettings.pricingUrl);
  }
}
