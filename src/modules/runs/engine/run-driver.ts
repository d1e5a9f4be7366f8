import { Injectable } from '@nestjs/common';
import { RunFailed } from '../domain/run-failed.js';
import { RunWorkerStops } from '../domain/run-lost.js';
import { RunConclusions } from './run-conclusions.js';
import type { ActiveRun, HeldRun } from './held-run.js';
import { RunOpening } from './opening.js';
import { AccessRevoked } from './run-access.js';
import { fullLimitOf, StepAsking } from './step-asking.js';
import { ToolCallsOfRun } from './tool-calls.js';
import type { Wait } from './wait.js';

/** A run that loses so many workers without getting further may be the cause of it. */
const MAX_LOSSES = 10;

/** Drives a run until it waits or ends: the model answers, its tools are called, and so on. */
@Injectable()
export class RunDriver {
  constructor(
    private readonly opening: RunOpening,
    private readonly asking: StepAsking,
    private readonly calls: ToolCallsOfRun,
    private readonly conclusions: RunConclusions,
  ) {}

  /**
   * Resolves when the run waits or is over.
   *
   * @throws {RunLost} when another worker has the run, or it was ended.
   * @throws {RunWorkerStops} when this process stops.
   */
  async drive(held: HeldRun): Promise<void> {
    const { run } = held;
    if (run.losses > MAX_LOSSES) {
      const message = `The run lost its worker ${run.losses} times in a row. Start a new run.`;
      return this.conclusions.fail(run, 'worker_lost', message);
    }
    const active = await this.opening.open(held);
    if (active === undefined) return this.conclusions.fail(run, 'agent_not_found', 'The agent was deleted.');
    try {
      await this.toWaitOrEnd(active);
    } catch (error) {
      if (!(error instanceof RunFailed) && !(error instanceof AccessRevoked)) throw error;
      await this.conclusions.fail(run, error.code, error.message);
    }
  }

  private async toWaitOrEnd(active: ActiveRun): Promise<void> {
    for (;;) {
      active.held.requireLease();
      if (active.held.isStopping) throw new RunWorkerStops();
      if (active.isAnswered) {
        if (await this.conclusions.succeed(active)) return;
        continue;
      }
      const wait = await this.next(active);
      if (wait === null) continue;
      await this.conclusions.wait(active, wait);
      return;
    }
  }

  private async next(active: ActiveRun): Promise<Wait | null> {
    if (active.openCalls.length === 0) return this.asking.ask(active);
    const full = fullLimitOf(active);
    return full?.detail['budget'] === 'active_seconds' ? full : this.calls.execute(active);
  }
}
