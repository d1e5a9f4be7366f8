import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { AgentVersionsService } from '../../agents/agent-versions.service.js';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentsService } from '../../agents/agents.service.js';
import { RunRequestsService } from '../../runs/run-requests.service.js';
import { SwarmGate } from '../board/swarm-gate.js';
import { ChildRunsStore } from '../persistence/child-runs.store.js';
import { refused } from '../tools/tool-inputs.js';

const MAX_DEPTH = 5;
const MAX_BELOW = 100;

/** A run to start below another one. */
export interface ChildRequest {
  readonly agent: string;
  readonly input: unknown;
  readonly maxCostNano: bigint | undefined;
}

/** Starts runs below others. They draw from the budgets of the runs above them. */
@Injectable()
export class ChildStarts {
  constructor(
    private readonly agents: AgentsService,
    private readonly versions: AgentVersionsService,
    private readonly requests: RunRequestsService,
    private readonly children: ChildRunsStore,
    private readonly gate: SwarmGate,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts a run in the running transaction. Returns its id, or why it was not started.
   *
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  async start({ id: callId, run, caller }: ToolCall, request: ChildRequest): Promise<string | ToolOutcome> {
    const { orgId } = run;
    await this.gate.require(orgId);
    const agent = await this.agents.find(orgId, request.agent);
    if (agent === undefined) return refused('agent_not_found', `There is no agent ${request.agent} any more.`);
    if (!agent.isActive) return refused('agent_paused', `The agent ${request.agent} is paused.`);
    const above = await this.children.placeOf(run.id);
    const rootRunId = above?.rootRunId ?? run.id;
    const depth = (above?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) return refused('too_deep', `Runs can start each other ${MAX_DEPTH} levels deep.`);
    await this.children.lockRoot(rootRunId);
    if ((await this.children.countBelow(rootRunId)) >= MAX_BELOW)
      return refused('too_many_runs', `At most ${MAX_BELOW} runs can be started below one run.`);
    const { user, credential } = caller.principal;
    const { id: runId } = await this.requests.create({
      orgId,
      version: await this.versions.live(agent),
      input: request.input,
      starter: { userId: user.id, keyId: credential.type === 'api_key' ? credential.keyId : null },
      trigger: 'agent',
      parentRunId: run.id,
      ...(request.maxCostNano === undefined ? {} : { budget: { costNano: request.maxCostNano } }),
    });
    const createdAt = this.clock.now();
    await this.children.insert({ runId, callId, orgId, parentRunId: run.id, rootRunId, depth, createdAt });
    return runId;
  }
}
