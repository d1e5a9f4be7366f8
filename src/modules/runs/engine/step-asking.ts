import { Injectable } from '@nestjs/common';
import { ModelAnswersService } from '../../ai/model-answers.service.js';
import type { StepKind } from '../domain/run.js';
import { RunDeltas } from '../events/run-deltas.js';
import { RunMetrics } from '../metrics/runs.metrics.js';
import { ConversationReader } from './conversation-reader.js';
import type { ActiveRun } from './held-run.js';
import { RunAccess } from './run-access.js';
import { StepBegins } from './step-begins.js';
import { StepRecorder } from './step-recorder.js';
import { type Wait, waitForLimit } from './wait.js';

/** A model is asked this often in one step: once, and again after a crash or while it is unavailable. */
const MAX_ASKS = 3;
/** The context of a model is summarized when this part of it is full. */
const FULL_AT = 0.6;

/** Asks the model of a run for its next answer. */
@Injectable()
export class StepAsking {
  constructor(
    private readonly models: ModelAnswersService,
    private readonly access: RunAccess,
    private readonly conversations: ConversationReader,
    private readonly recorder: StepRecorder,
    private readonly begins: StepBegins,
    private readonly deltas: RunDeltas,
    private readonly metrics: RunMetrics,
  ) {}

  /**
   * Returns what the run waits for, or null when the model has answered.
   *
   * @throws {AccessRevoked} when the run may not act any more.
   * @throws {RunFailed} when the model cannot answer.
   */
  async ask(active: ActiveRun): Promise<Wait | null> {
    const full = fullLimitOf(active);
    if (full !== null) return full;
    const { run, version, held } = active;
    const beganMs = performance.now();
    const call = await this.access.callOf(run, version);
    const kind = await this.kindOf(active);
    const conversation = await this.conversations.read(active, kind);
    const begun = await this.begins.begin(active, kind, MAX_ASKS);
    try {
      const deltas = this.deltas.of(run.id, begun.seq);
      const askedMs = performance.now();
      const answer = await this.models.answer(call, conversation, { signal: held.signal, onText: deltas.push });
      const modelMs = performance.now() - askedMs;
      await this.recorder.record(active, { ...begun, kind, answer });
      this.metrics.stepped((performance.now() - beganMs - modelMs) / 1000);
      return null;
    } catch (error) {
      held.signal.throwIfAborted();
      return this.begins.refused(active, begun, error);
    }
  }

  /** Asks for a summary when the last answer has filled most of the model's context. */
  private async kindOf({ version, lastStep }: ActiveRun): Promise<StepKind> {
    if (lastStep?.state !== 'answered') return lastStep?.kind ?? 'answer';
    if (lastStep.kind === 'summary') return 'answer';
    const context = await this.models.contextTokensOf(version.models[0]!);
    const used = (lastStep.inputTokens ?? 0) + (lastStep.outputTokens ?? 0);
    return context !== null && used > context * FULL_AT ? 'summary' : 'answer';
  }
}

/** Returns the wait for the limit that is reached, or null. */
export function fullLimitOf({ run, usedSteps, usedActiveMs }: ActiveRun): Wait | null {
  const { steps, activeMs } = run.budget;
  if (usedSteps >= steps) return waitForLimit('steps', steps);
  if (usedActiveMs >= activeMs) return waitForLimit('active_seconds', Math.round(activeMs / 1000));
  return null;
}
