import type { AgentTool } from '../../agents/agent-tool.js';
import type { AgentVersion, ToolUse } from '../../agents/agent-definition.js';
import type { Run, RunStep } from '../domain/run.js';
import { isCallOver, type RunToolCall } from '../domain/tool-call-state.js';

/** A run that this worker has. */
export interface HeldRun {
  readonly run: Run;
  /** Aborted when the run is lost or over, and when the process has no more time. */
  readonly signal: AbortSignal;
  /** True when the process stops: nothing new begins. */
  readonly isStopping: boolean;

  /** @throws {RunLost} when the lease may have ended, by the clock of this process. */
  requireLease(): void;
}

/** A tool of the version, with how the version uses it. */
export interface UsableTool {
  readonly tool: AgentTool;
  readonly use: ToolUse;
}

/** What the engine knows of a run while it drives it. */
export class ActiveRun {
  isTainted: boolean;
  /** True when the last answer does not fit the schema of the output, and the model is asked again. */
  isRejected = false;
  private markMs = performance.now();
  private addedToolCalls = 0;
  private addedSteps = 0;
  private addedActiveMs = 0;

  constructor(
    readonly held: HeldRun,
    readonly version: AgentVersion,
    readonly tools: ReadonlyMap<string, UsableTool>,
    readonly steps: RunStep[],
    readonly calls: RunToolCall[],
  ) {
    this.isTainted = held.run.isTainted;
  }

  get run(): Run {
    return this.held.run;
  }

  get lastStep(): RunStep | undefined {
    return this.steps.at(-1);
  }

  /** The calls of the last answer that are not over, in their order. */
  get openCalls(): RunToolCall[] {
    return this.calls.filter((call) => !isCallOver(call));
  }

  /** True when the last answer calls no tool, so that it is the output. */
  get isAnswered(): boolean {
    const { lastStep } = this;
    return (
      !this.isRejected &&
      lastStep?.state === 'answered' &&
      lastStep.kind === 'answer' &&
      !this.calls.some(({ step }) => step === lastStep.seq)
    );
  }

  get usedSteps(): number {
    return this.run.used.steps + this.addedSteps;
  }

  get usedToolCalls(): number {
    return this.run.used.toolCalls + this.addedToolCalls;
  }

  get usedActiveMs(): number {
    return this.run.used.activeMs + this.addedActiveMs + (performance.now() - this.markMs);
  }

  /** Returns the active time since the last time, for the write that follows. */
  takeActiveMs(): number {
    const nowMs = performance.now();
    const elapsedMs = nowMs - this.markMs;
    this.markMs = nowMs;
    this.addedActiveMs += elapsedMs;
    return elapsedMs;
  }

  stepped(step: RunStep, calls: readonly RunToolCall[]): void {
    this.begun(step);
    this.calls.push(...calls);
    this.addedSteps++;
  }

  /** Replaces the step with the same number, or adds it. */
  begun(step: RunStep): void {
    this.isRejected = false;
    if (this.lastStep?.seq === step.seq) this.steps.pop();
    this.steps.push(step);
  }

  began(call: RunToolCall): void {
    this.addedToolCalls++;
    this.changed(call);
  }

  changed(call: RunToolCall): void {
    this.calls[this.calls.findIndex(({ id }) => id === call.id)] = call;
  }
}
