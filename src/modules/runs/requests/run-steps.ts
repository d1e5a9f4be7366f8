import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import type { RunStep } from '../domain/run.js';
import type { RunToolCall } from '../domain/tool-call-state.js';
import { ApprovalsStore } from '../persistence/approvals.store.js';
import { RunStepsStore } from '../persistence/run-steps.store.js';
import { RunToolCallsStore } from '../persistence/run-tool-calls.store.js';
import { RunsService, type ShownRun } from './runs.service.js';

/** A call with the approval that it needed, if it did. */
export type ShownToolCall = RunToolCall & { readonly approvalId: string | undefined };

/** A step with its calls of tools. */
export interface ShownStep {
  readonly runId: string;
  readonly step: RunStep;
  readonly calls: readonly ShownToolCall[];
}

export interface Transcript {
  readonly shown: ShownRun;
  readonly steps: readonly ShownStep[];
}

const EVERYTHING = 2_147_483_647;

/** Reads what happened in runs. */
@Injectable()
export class RunStepsReader {
  constructor(
    private readonly runs: RunsService,
    private readonly steps: RunStepsStore,
    private readonly calls: RunToolCallsStore,
    private readonly approvals: ApprovalsStore,
  ) {}

  /** Oldest first. @throws {RunNotFound} `run_not_found` */
  async list(call: Call, runId: string, { limit, after }: PageRequest): Promise<Page<ShownStep>> {
    const { id } = await this.runs.find(call, runId, 'agents:read');
    const steps = await this.steps.list(id, { after: Number(after ?? 0), limit: limit + 1 });
    const shown = await this.withCalls(id, steps.slice(0, limit));
    const isLast = steps.length <= limit;
    return { items: shown, next: isLast ? undefined : String(shown.at(-1)!.step.seq) };
  }

  /** @throws {RunNotFound} `run_not_found` */
  async transcript(call: Call, runId: string): Promise<Transcript> {
    const shown = await this.runs.get(call, runId);
    return { shown, steps: await this.withCalls(shown.run.id, await this.steps.list(shown.run.id)) };
  }

  private async withCalls(runId: string, steps: readonly RunStep[]): Promise<ShownStep[]> {
    const [first, last] = [steps[0]?.seq ?? EVERYTHING, steps.at(-1)?.seq ?? 0];
    const calls = await this.calls.list(runId, { from: first, to: last });
    const approvals = await this.approvals.idsOf(runId);
    return steps.map((step) => ({
      runId,
      step,
      calls: calls
        .filter((call) => call.step === step.seq)
        .map((call) => ({ ...call, approvalId: approvals.get(call.id) })),
    }));
  }
}
