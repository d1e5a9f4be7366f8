import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import type { AgentFacts, RunBudget } from '../../agents/agent-definition.js';
import { AgentVersionsService } from '../../agents/agent-versions.service.js';
import { AgentsService } from '../../agents/agents.service.js';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import type { RunStarter } from '../new-run.js';
import { isRunOver } from '../domain/run-state.js';
import { RunsStore } from '../persistence/runs.store.js';
import { RunRequestsService } from '../run-requests.service.js';
import { AgentPaused, TooManyRuns } from '../runs.errors.js';
import { RunsService, type ShownRun } from './runs.service.js';

export interface StartRunInput {
  readonly input: unknown;
  readonly budget: Partial<RunBudget>;
  /** The run of the same agent whose conversation goes on. */
  readonly continues?: string | undefined;
}

/** Starts runs for callers. */
@Injectable()
export class RunStarts {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentsService,
    private readonly versions: AgentVersionsService,
    private readonly orgs: OrgDirectory,
    private readonly store: RunsStore,
    private readonly requests: RunRequestsService,
    private readonly runs: RunsService,
  ) {}

  /**
   * Queues a run of the live version of an agent. Workers take it soon.
   *
   * @throws {AgentNotFound} `agent_not_found`
   * @throws {AgentPaused} `agent_paused`
   * @throws {TooManyRuns} `concurrency_limit_exceeded`
   * @throws {RequestInvalid} `invalid_request`: `continues` names no earlier run of the agent.
   */
  async start(call: Call, agentIdOrSlug: string, { input, budget, continues }: StartRunInput): Promise<ShownRun> {
    const { id, missingScopes } = await this.database.transaction(async () => {
      const agent = await this.agents.get(call, agentIdOrSlug, 'agents:run');
      await this.requireStartable(call, agent);
      if (continues !== undefined) await this.requireEarlier(agent, continues);
      const version = await this.versions.live(agent);
      const run = await this.requests.create({
        orgId: agent.orgId,
        version,
        input,
        starter: starterOf(call),
        trigger: 'api',
        budget,
        ...(continues === undefined ? {} : { continues }),
      });
      const rights = call.principal.rightsIn(agent.orgId);
      const needed: readonly Scope[] = ['ai:invoke', ...version.scopes];
      return { id: run.id, missingScopes: needed.filter((scope) => !rights.has(scope)) };
    });
    return { ...(await this.runs.get(call, id)), missingScopes };
  }

  /** The lock on the organization keeps the count exact, however many calls start runs at once. */
  private async requireStartable(call: Call, agent: AgentFacts): Promise<void> {
    const plan = await this.orgs.lockAndGetPlan(call, agent.orgId);
    if (!agent.isActive || !(await this.agents.isWithinPlan(agent))) throw new AgentPaused(agent.name);
    const { active } = PLANS[plan].agentRuns;
    if ((await this.store.activeCountOf(agent.orgId)) >= active) throw new TooManyRuns(active);
  }

  private async requireEarlier({ id, orgId }: AgentFacts, continues: string): Promise<void> {
    const earlier = await this.store.find([orgId], continues);
    if (earlier?.agentId === id && isRunOver(earlier.state)) return;
    throw new RequestInvalid([
      {
        path: 'continues',
        in: 'body',
        code: 'is_earlier_run',
        message: 'continues must be a run of this agent that is over',
        received: continues,
      },
    ]);
  }
}

const starterOf = ({ principal: { user, credential } }: Call): RunStarter => ({
  userId: user.id,
  keyId: credential.type === 'api_key' ? credential.keyId : null,
});
