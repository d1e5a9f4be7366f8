import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DatabaseRetry } from '../../../platform/database/database-retry.js';
import { isOver } from '../domain/execution-state.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import type { SandboxExecution } from '../persistence/sandbox-execution.entity.js';

const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 250;

/** Executions of work that is identified by a key of its organization, and runs once. */
@Injectable()
export class KeyedExecutions {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly databaseRetry: DatabaseRetry,
  ) {}

  find(orgId: string, effectKey: string): Promise<Pick<SandboxExecution, 'id'> | null> {
    return this.executions.findByEffect(orgId, effectKey);
  }

  /**
   * Waits for the end of an execution, and returns it however it ended. Every one ends: one whose worker is gone, or
   * that no worker takes, is given up when its time is over.
   *
   * @throws the reason of `signal` when it is aborted. The execution goes on.
   */
  async end(id: string, signal: AbortSignal): Promise<SandboxExecution> {
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(LAST_LOOK_MS, pauseMs * 2)) {
      const status = await this.databaseRetry.run(() => this.executions.statusOf(id));
      if (status === undefined || isOver(status)) return this.executions.get(id);
      await sleep(pauseMs, undefined, { signal });
    }
  }

  /** Lets the work with this key begin again, if it has never started. */
  async forgetUnstarted(orgId: string, effectKey: string): Promise<void> {
    await this.databaseRetry.run(() => this.executions.forgetUnstarted(orgId, effectKey));
  }
}
