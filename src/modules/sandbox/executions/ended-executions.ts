import { Injectable } from '@nestjs/common';
import { DatabaseRetry } from '../../../platform/database/database-retry.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { isOver } from '../domain/execution-state.js';
import { StreamInterrupted } from '../output/output-follower.js';
import { OutputSignals } from '../output/output-signals.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import type { SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import { SandboxUnavailable } from '../sandbox.errors.js';

/** The longest delay until an end is noticed that no worker reports. */
const LOOK_EVERY_MS = 1_000;

/** Waits for the end of executions whose job this process does not wait for. */
@Injectable()
export class EndedExecutions {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly signals: OutputSignals,
    private readonly databaseRetry: DatabaseRetry,
    private readonly shutdown: Shutdown,
  ) {}

  /**
   * Every execution ends: one whose worker is gone, or that no worker takes, is given up when its time is over.
   *
   * @throws {SandboxUnavailable} `sandbox_unavailable` when the platform lost the run.
   * @throws {StreamInterrupted} when this process stops.
   * @throws the reason of `signal` when it is aborted.
   */
  async wait(id: string, signal: AbortSignal): Promise<SandboxExecution> {
    for (;;) {
      signal.throwIfAborted();
      if (this.shutdown.isDraining) throw new StreamInterrupted();
      const notified = this.signals.nextEnd(id, LOOK_EVERY_MS, signal);
      const status = await this.databaseRetry.run(() => this.executions.statusOf(id));
      if (status === undefined || isOver(status)) break;
      await notified;
    }
    const execution = await this.databaseRetry.run(() => this.executions.get(id));
    if (execution.status === 'lost') throw new SandboxUnavailable([]);
    return execution;
  }
}
