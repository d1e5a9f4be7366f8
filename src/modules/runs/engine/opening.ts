import { Injectable } from '@nestjs/common';
import { AgentVersionsService } from '../../agents/agent-versions.service.js';
import { VersionTools } from '../tools/version-tools.js';
import { RunStepsStore } from '../persistence/run-steps.store.js';
import { RunToolCallsStore } from '../persistence/run-tool-calls.store.js';
import { ActiveRun, type HeldRun } from './held-run.js';

/** Reads what a worker needs to go on with a run. */
@Injectable()
export class RunOpening {
  constructor(
    private readonly versions: AgentVersionsService,
    private readonly tools: VersionTools,
    private readonly steps: RunStepsStore,
    private readonly calls: RunToolCallsStore,
  ) {}

  /** Returns undefined when the agent was deleted. */
  async open(held: HeldRun): Promise<ActiveRun | undefined> {
    const { id, agentId, agentVersion } = held.run;
    const version = await this.versions.find(agentId, agentVersion);
    if (version === undefined) return undefined;
    // What a summary has replaced is not read again.
    const steps = await this.steps.sinceSummary(id);
    const [tools, calls] = await Promise.all([
      this.tools.of(version, held.run),
      this.calls.list(id, { from: steps[0]?.seq ?? 0 }),
    ]);
    return new ActiveRun(held, version, tools, steps, calls);
  }
}
