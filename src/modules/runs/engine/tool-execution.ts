import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { isDatabaseUnavailable } from '../../../platform/database/database-unavailable.js';
import { hasMetOthers } from '../../../platform/database/met-others.js';
import { Log } from '../../../platform/logging/log.js';
import { secretMask } from '../../../platform/secrets/secret-mask.js';
import { AgentSecretsService } from '../../agents/agent-secrets.service.js';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import type { Call } from '../../auth/caller.js';
import { RunLost, RunWorkerStops } from '../domain/run-lost.js';
import type { RunToolCall } from '../domain/tool-call-state.js';
import type { ActiveRun, UsableTool } from './held-run.js';
import { isOutOfMoney } from './run-access.js';
import { CallRecorder } from './call-recorder.js';
import { changeOf, failureOf, type Mask, unknownOutcome } from './tool-outcomes.js';
import type { Wait } from './wait.js';

/** Tools bound their own work. This is for those that hang. */
const TIMEOUT_MS = 15 * 60_000;

/** Calls one tool, and commits what became of it as its class of effect demands. */
@Injectable()
export class ToolExecution {
  constructor(
    private readonly database: Database,
    private readonly recorder: CallRecorder,
    private readonly secrets: AgentSecretsService,
    private readonly log: Log,
  ) {}

  /** Returns what the run waits for when money is missing, and null otherwise. */
  async execute(active: ActiveRun, call: RunToolCall, usable: UsableTool, caller: Call): Promise<Wait | null> {
    const mask = await this.maskOf(active);
    const execution = { active, call, usable, mask, input: this.inputOf(active, call, caller) };
    if (usable.tool.effect === 'local') return this.local(execution);
    // A crash in the middle of a call whose effect cannot be repeated: the call was committed as begun before.
    if (usable.tool.effect === 'once' && call.state === 'executing') {
      const tellsModel = usable.use.unknownOutcome === 'tell_model';
      const message = 'The worker was lost during the call.';
      await this.recorder.ended(active, call, unknownOutcome(tellsModel, message));
      return null;
    }
    return this.outside(execution);
  }

  /** The effect is rows of ours: it commits with its result. */
  private async local(execution: Execution): Promise<Wait | null> {
    const { active, call, usable, mask, input } = execution;
    try {
      await this.database.transaction(async () => {
        const begun = await this.recorder.begun(active, call);
        const outcome = await usable.tool.call({ ...input, signal: active.held.signal });
        await this.recorder.ended(active, begun, changeOf(outcome, true, mask), isTainting(usable, outcome));
      });
      return null;
    } catch (error) {
      return this.failed(execution, error);
    }
  }

  private async outside(execution: Execution): Promise<Wait | null> {
    const { active, call, usable, mask, input } = execution;
    const begun = await this.recorder.begun(active, call);
    active.held.requireLease();
    let outcome: ToolOutcome;
    try {
      const signal = AbortSignal.any([active.held.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      outcome = await usable.tool.call({ ...input, signal });
    } catch (error) {
      return this.failed({ ...execution, call: begun }, error);
    }
    // After an abort the worker that has the run next repeats the call, or finds its outcome unknown.
    active.held.signal.throwIfAborted();
    const tellsModel = usable.use.unknownOutcome === 'tell_model';
    await this.recorder.ended(active, begun, changeOf(outcome, tellsModel, mask), isTainting(usable, outcome));
    return null;
  }

  private async failed({ active, call, usable, mask }: Execution, error: unknown): Promise<Wait | null> {
    active.held.signal.throwIfAborted();
    if (error instanceof RunLost || error instanceof RunWorkerStops) throw error;
    if (isOutOfMoney(error)) return this.recorder.withoutMoney(active, call, error);
    // The worker hands the run back, and the call is repeated.
    if (usable.tool.effect !== 'once' && (isDatabaseUnavailable(error) || hasMetOthers(error))) throw error;
    const failure = failureOf(error);
    if (failure === undefined)
      this.log.warn({ runId: active.run.id, tool: call.tool, error }, 'A tool of an agent failed.');
    const tellsModel = usable.use.unknownOutcome === 'tell_model';
    const change =
      failure === undefined && usable.tool.effect === 'once'
        ? unknownOutcome(tellsModel, 'The tool failed in the middle of the call.')
        : changeOf(failure ?? { kind: 'failed', code: 'tool_failed', message: 'The tool failed.' }, tellsModel, mask);
    await this.recorder.ended(active, call, change);
    return null;
  }

  private inputOf({ run, isTainted }: ActiveRun, call: RunToolCall, caller: Call): Omit<ToolCall, 'signal'> {
    return {
      id: call.id,
      input: call.arguments,
      effectKey: call.effectKey,
      begunAt: call.startedAt,
      caller,
      run: {
        id: run.id,
        orgId: run.orgId,
        agentId: run.agentId,
        agentVersion: run.agentVersion,
        parentRunId: run.parentRunId,
        swarmId: run.swarmId,
        isTainted,
      },
      secret: (name) => this.secrets.valueOf(run.agentId, name),
    };
  }

  private async maskOf({ run }: ActiveRun): Promise<Mask> {
    return secretMask(await this.secrets.valuesOf(run.agentId));
  }
}

/** An error message of a tool is ours, and its output may be the text of others. */
const isTainting = ({ tool }: UsableTool, outcome: ToolOutcome): boolean =>
  outcome.kind === 'succeeded' && (tool.taints || outcome.taints === true);

interface Execution {
  readonly active: ActiveRun;
  readonly call: RunToolCall;
  readonly usable: UsableTool;
  readonly mask: Mask;
  readonly input: Omit<ToolCall, 'signal'>;
}
