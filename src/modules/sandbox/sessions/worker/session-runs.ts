import { Injectable } from '@nestjs/common';
import { JobAbandoned, JobCancellations } from '../../../../platform/queues/job-cancellations.js';
import { Log } from '../../../../platform/logging/log.js';
import { Clock } from '../../../../platform/time/clock.js';
import type { SandboxOutcome } from '../../domain/sandbox-runtime.js';
import type { FinishedExecution } from '../../executions/execution-ends.js';
import { ExecutionRecorder } from '../../executions/execution-recorder.js';
import { RunMeasures } from '../../metrics/run-measures.js';
import { MAX_OVERTIME_MS, SessionEnded, type SessionOutcome, type SessionProcess } from '../host/session-process.js';
import type { RecordedWork } from '../line/session-messages.js';
import type { HeldFacts, HeldSession } from './held-session.js';
import { SessionArtifacts } from './session-artifacts.js';
import { TurnNotReached } from './session-turns.js';

interface Turn {
  readonly signal: AbortSignal;
  readonly unwanted: AbortSignal;
  hasCome: boolean;
}

/** Runs code and commands in sessions of this worker, one at a time in each, and records how they ended. */
@Injectable()
export class SessionRuns {
  private readonly alone = new Set<Promise<void>>();

  constructor(
    private readonly recorder: ExecutionRecorder,
    private readonly cancellations: JobCancellations,
    private readonly measures: RunMeasures,
    private readonly artifacts: SessionArtifacts,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Resolves when the row of the execution says how it ended.
   *
   * @param unwanted is aborted when nobody waits for the turn of the run any longer.
   * @throws {TurnNotReached} when the run did not start in time.
   * @throws {SessionEnded} when the session was ended before the turn of the run came.
   */
  async record(session: HeldSession, work: RecordedWork, unwanted: AbortSignal): Promise<void> {
    await this.cancellations.during(work.executionId, async (cancelled) => {
      const signal = AbortSignal.any([cancelled, session.ending]);
      const turn = { signal, unwanted, hasCome: false };
      try {
        await this.inTurn(session, work, turn);
      } catch (error) {
        if (!turn.hasCome && !cancelled.aborted && session.ending.aborted) throw new SessionEnded();
        // The end of a cancelled run is in its row.
        if (!(signal.reason instanceof JobAbandoned)) throw error;
      }
    });
  }

  /**
   * Runs it when its turn comes, without a caller who waits for its end: what happens is in the row of the execution.
   *
   * @throws {TurnNotReached} when too many wait already.
   */
  begin(session: HeldSession, work: RecordedWork): void {
    if (session.turns.isFull) throw new TurnNotReached();
    const run = this.recordAlone(session, work).finally(() => this.alone.delete(run));
    this.alone.add(run);
  }

  /** Resolves when the rows of all runs that nobody waits for say how they ended. */
  async allWritten(): Promise<void> {
    await Promise.all(this.alone);
  }

  /** Never rejects. */
  private async recordAlone(session: HeldSession, work: RecordedWork): Promise<void> {
    const { executionId, orgId } = work;
    try {
      await this.record(session, work, new AbortController().signal);
    } catch (error) {
      const isExpected = error instanceof TurnNotReached || error instanceof SessionEnded;
      if (!isExpected) this.log.error({ executionId, error }, 'A run of a sandbox session failed.');
    }
    try {
      await this.recorder.giveUpUnended(orgId, executionId);
    } catch (error) {
      // It becomes overdue.
      this.log.debug({ executionId, error }, 'A run of a sandbox session was not given up.');
    }
  }

  private async inTurn(session: HeldSession, work: RecordedWork, turn: Turn): Promise<void> {
    const { signal, unwanted } = turn;
    const cameAtMs = this.clock.now().getTime();
    await session.turns.take(work.startBeforeMs - cameAtMs, AbortSignal.any([signal, unwanted]), async () => {
      turn.hasCome = true;
      const waitedMs = this.clock.now().getTime() - cameAtMs;
      const recorded = { ...work, language: session.facts.language, overtimeMs: MAX_OVERTIME_MS };
      const written = await this.recorder.record(work.orgId, recorded, { signal, waitedMs }, () =>
        session.use((process) => this.run(session.facts, process, work, signal)),
      );
      await this.artifacts.remove(session, written?.artifacts?.kept ?? []);
    });
  }

  private run(
    { language }: HeldFacts,
    process: SessionProcess,
    work: RecordedWork,
    signal: AbortSignal,
  ): Promise<FinishedExecution> {
    const { executionId, keepsOutputMs } = work;
    return this.measures.measure({ executionId, language, keepsOutputMs }, signal, async (onOutput) => {
      signal.throwIfAborted();
      const outcome = await begin(process, work, signal, onOutput);
      // What came of a run that was cut short is not shown.
      signal.throwIfAborted();
      const collected = await this.artifacts.collect(process, work, outcome.durationMs, signal);
      const durationMs = outcome.durationMs + (collected?.tookMs ?? 0);
      return { outcome: executionOutcomeOf({ ...outcome, durationMs }), artifacts: collected?.artifacts ?? null };
    });
  }
}

function begin(
  process: SessionProcess,
  { do: kind, text, stdin, limits: { timeoutMs, outputBytes } }: RecordedWork,
  ...[signal, onOutput]: [AbortSignal, Parameters<SessionProcess['run']>[2]]
): Promise<SessionOutcome> {
  const bounds = { stdin, timeoutMs, outputBytes };
  return kind === 'run'
    ? process.run({ code: text, ...bounds }, signal, onOutput)
    : process.shell({ command: text, ...bounds }, signal, onOutput);
}

/** What is recorded of the outcome: the only place that knows both. */
function executionOutcomeOf(outcome: SessionOutcome): SandboxOutcome {
  const { status, stdout, stderr, exitCode, signal, durationMs, cpuMs, memoryPeakBytes } = outcome;
  const { truncated, runtime, results, error, stateLost } = outcome;
  return {
    status,
    stdout,
    stderr,
    exitCode,
    signal,
    durationMs,
    cpuMs,
    memoryPeakBytes,
    truncated,
    runtime,
    results,
    stateLost,
    ...(error === undefined ? {} : { error }),
  };
}
