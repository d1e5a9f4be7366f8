import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { Clock } from '../../../platform/time/clock.js';
import { RunFailed } from '../domain/run-failed.js';
import type { StepKind } from '../domain/run.js';
import { RunSignals } from '../events/run-signals.js';
import { RunStepsStore } from '../persistence/run-steps.store.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import type { ActiveRun } from './held-run.js';
import { isOutOfMoney } from './run-access.js';
import { type Wait, waitForMoney, waitForTimer } from './wait.js';

const FIRST_PAUSE_MS = 2_000;

/** A step whose model is being asked. */
export interface BegunStep {
  readonly seq: number;
  readonly asks: number;
}

/** Commits that a model is asked before it is, so that a crash does not ask it without end. */
@Injectable()
export class StepBegins {
  constructor(
    private readonly database: Database,
    private readonly steps: RunStepsStore,
    private readonly writes: RunWritesStore,
    private readonly signals: RunSignals,
    private readonly clock: Clock,
  ) {}

  /** @throws {RunFailed} when the model was asked too often in this step. */
  async begin(active: ActiveRun, kind: StepKind, maxAsks: number): Promise<BegunStep> {
    const { run, lastStep } = active;
    const seq = lastStep?.state === 'asking' ? lastStep.seq : (lastStep?.seq ?? 0) + 1;
    const asks = await this.database.transaction(async () => {
      const isNew = lastStep?.seq !== seq;
      const events = isNew ? [{ type: 'step.started' as const, data: { step: seq, kind } }] : [];
      await this.writes.write(run, { addedActiveMs: active.takeActiveMs() }, events);
      return this.steps.begin(run.id, seq, kind);
    });
    void this.signals.notify(run.id);
    active.begun({
      seq,
      kind,
      state: 'asking',
      asks,
      model: null,
      text: null,
      generationId: null,
      inputTokens: null,
      outputTokens: null,
      costNano: null,
      createdAt: this.clock.now(),
      endedAt: null,
    });
    if (asks > maxAsks)
      throw new RunFailed(
        'model_unavailable',
        `The model was asked ${maxAsks} times in step ${seq} and did not answer.`,
      );
    return { seq, asks };
  }

  /**
   * Returns what the run waits for after a refusal or a fault.
   *
   * @throws {RunFailed} when asking again would not help.
   * @throws the error itself when it is no refusal.
   */
  async refused({ run }: ActiveRun, { seq, asks }: BegunStep, error: unknown): Promise<Wait> {
    if (!(error instanceof DomainError)) throw error;
    const now = this.clock.now();
    if (isOutOfMoney(error)) {
      await this.steps.notAsked(run.id, seq);
      return waitForMoney(error, now);
    }
    if (error.status === 429) {
      await this.steps.notAsked(run.id, seq);
      const pauseMs = (error.help.retryAfterSeconds ?? 1) * 1000;
      return waitForTimer(new Date(now.getTime() + pauseMs), error.code);
    }
    if (error.status < 500 || error.code === 'model_router_not_configured')
      throw new RunFailed(error.code, error.message);
    return waitForTimer(new Date(now.getTime() + FIRST_PAUSE_MS * 2 ** asks), error.code);
  }
}
