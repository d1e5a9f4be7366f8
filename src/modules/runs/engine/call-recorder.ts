import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { DomainError } from '../../../platform/errors/domain-error.js';
import { Clock } from '../../../platform/time/clock.js';
import { RunLost } from '../domain/run-lost.js';
import { isCallOver, type RunToolCall } from '../domain/tool-call-state.js';
import { RunSignals } from '../events/run-signals.js';
import { RunMetrics } from '../metrics/runs.metrics.js';
import { RunToolCallsStore, type ToolCallChange } from '../persistence/run-tool-calls.store.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import type { ActiveRun } from './held-run.js';
import { type Wait, waitForMoney } from './wait.js';

/** Commits the states of calls of tools, with their events, while this worker has the run. */
@Injectable()
export class CallRecorder {
  constructor(
    private readonly database: Database,
    private readonly writes: RunWritesStore,
    private readonly calls: RunToolCallsStore,
    private readonly signals: RunSignals,
    private readonly metrics: RunMetrics,
    private readonly clock: Clock,
  ) {}

  /** Commits that a call begins, in the running transaction if there is one. A repeated call is not counted again. */
  async begun(active: ActiveRun, call: RunToolCall): Promise<RunToolCall> {
    const isFirst = call.startedAt === null;
    const changed = await this.database.transaction(async () => {
      await this.writes.write(
        active.run,
        { addedToolCalls: isFirst ? 1 : 0, addedActiveMs: active.takeActiveMs() },
        isFirst ? [{ type: 'call.started', data: { call_id: call.id, step: call.step, tool: call.tool } }] : [],
      );
      return this.change(call, { state: 'executing' });
    });
    await this.database.afterCommit(() => {
      if (isFirst) active.began(changed);
      else active.changed(changed);
      return Promise.resolve();
    });
    return changed;
  }

  /** Commits how a call ended, or what it waits for. Untrusted output marks the run. */
  async ended(active: ActiveRun, call: RunToolCall, change: ToolCallChange, isTainted = false): Promise<void> {
    const changed = await this.database.transaction(async () => {
      const written = await this.change(call, change);
      await this.writes.write(
        active.run,
        { addedActiveMs: active.takeActiveMs(), hasProgress: true, ...(isTainted ? { isTainted: true as const } : {}) },
        isCallOver(written) || change.waitingFor === 'unknown_outcome' ? [endedEventOf(written)] : [],
      );
      return written;
    });
    await this.database.afterCommit(async () => {
      active.changed(changed);
      if (isTainted) active.isTainted = true;
      const isUnknown = changed.state === 'outcome_unknown';
      if (isCallOver(changed) || isUnknown) this.metrics.called(changed.tool, changed.state);
      await this.signals.notify(active.run.id);
    });
  }

  /** The call goes back, and is made when there is money again. */
  async withoutMoney(active: ActiveRun, call: RunToolCall, refusal: DomainError): Promise<Wait> {
    await this.database.transaction(async () => {
      await this.writes.write(active.run, {}, []);
      active.changed(await this.change(call, { state: 'authorised' }));
    });
    return waitForMoney(refusal, this.clock.now());
  }

  private async change(call: RunToolCall, change: ToolCallChange): Promise<RunToolCall> {
    const changed = await this.calls.change(call.id, [call.state], change);
    if (changed === undefined) throw new RunLost();
    return changed;
  }
}

const endedEventOf = (call: RunToolCall): { type: 'call.ended'; data: Readonly<Record<string, unknown>> } => ({
  type: 'call.ended',
  data: {
    call_id: call.id,
    step: call.step,
    tool: call.tool,
    state: call.state,
    ...(call.output === null ? {} : { output: excerptOf(call.output) }),
    ...(call.error === null ? {} : { error: call.error }),
  },
});

const EXCERPT_CHARACTERS = 4_000;

/** Events are short. The whole output is with the step. */
function excerptOf(output: unknown): unknown {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return text.length <= EXCERPT_CHARACTERS ? output : `${text.slice(0, EXCERPT_CHARACTERS)}…`;
}
