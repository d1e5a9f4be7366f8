import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { RunToolCall } from '../domain/tool-call-state.js';
import { ToolCallAdmission } from './tool-call-admission.js';
import type { ActiveRun } from './held-run.js';
import { RunAccess } from './run-access.js';
import { ToolExecution } from './tool-execution.js';
import { type Wait, waitForLimit } from './wait.js';

/** Calls the tools of the last answer: reads together, and everything else in its order. */
@Injectable()
export class ToolCallsOfRun {
  constructor(
    private readonly access: RunAccess,
    private readonly admission: ToolCallAdmission,
    private readonly execution: ToolExecution,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns what the run waits for, or null when all calls are over. A call that waits holds up no other one.
   *
   * @throws {AccessRevoked} when the run may not act any more.
   */
  async execute(active: ActiveRun): Promise<Wait | null> {
    const open = active.openCalls.filter((call) => this.isReady(call));
    const reads = open.filter(({ effect }) => effect === 'read');
    // They begin at once, so that their number is compared with the limit before any of them is counted.
    const started = reads.filter(({ startedAt }) => startedAt !== null);
    const fresh = reads.filter(({ startedAt }) => startedAt === null);
    const left = Math.max(0, active.run.budget.toolCalls - active.usedToolCalls);
    const waits = await Promise.all([...started, ...fresh.slice(0, left)].map((call) => this.one(active, call)));
    if (fresh.length > left) waits.push(fullToolCallsOf(active));
    for (const call of open.filter(({ effect }) => effect !== 'read')) {
      if (active.held.isStopping) return null;
      waits.push(await this.one(active, call));
      if (waits.at(-1) !== null) break;
    }
    return waits.find((wait) => wait !== null) ?? waitOf(active.openCalls);
  }

  /** What waits for a person is not looked at again. What waits for anything else asks its tool. */
  private isReady({ state, waitingFor, wakesAt }: RunToolCall): boolean {
    if (state === 'awaiting_approval' || waitingFor === 'unknown_outcome') return false;
    return waitingFor !== 'timer' || wakesAt === null || wakesAt <= this.clock.now();
  }

  private async one(active: ActiveRun, call: RunToolCall): Promise<Wait | null> {
    if (call.startedAt === null && active.usedToolCalls >= active.run.budget.toolCalls) return fullToolCallsOf(active);
    const caller = await this.access.callOf(active.run, active.version);
    const usable = await this.admission.admit(active, call, caller);
    return usable === undefined ? null : this.execution.execute(active, call, usable, caller);
  }
}

const fullToolCallsOf = ({ run }: ActiveRun): Wait => waitForLimit('tool_calls', run.budget.toolCalls);

/** A run waits for people first: the others come by themselves. */
function waitOf(calls: readonly RunToolCall[]): Wait | null {
  const isFor = (wait: string) => (call: RunToolCall) =>
    wait === 'approval' ? call.state === 'awaiting_approval' : call.waitingFor === wait;
  for (const wait of ['approval', 'unknown_outcome', 'answer', 'children', 'timer'] as const) {
    const waiting = calls.filter(isFor(wait));
    if (waiting.length === 0) continue;
    const times = calls.flatMap(({ wakesAt }) => wakesAt ?? []).map((time) => time.getTime());
    return {
      for: wait,
      detail: { call_ids: waiting.map(({ id }) => id) },
      until: times.length === 0 ? null : new Date(Math.min(...times)),
    };
  }
  return null;
}
