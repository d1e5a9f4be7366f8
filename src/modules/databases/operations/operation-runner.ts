import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { OperationMetrics } from '../metrics/operation.metrics.js';
import { DatabaseOperationsStore } from '../persistence/database-operations.store.js';
import { failureOf, isFinal, pauseAfter } from './operation-failures.js';
import type { OperationHandler } from './operation-handler.js';
import { OperationHandlers } from './operation-handlers.js';
import type { ClaimedOperation, OperationFailure } from './operation.js';

/** The process stops, and another attempt continues where this one was. */
export class OperationInterrupted extends Error {}

/** Does the steps of operations that this process has taken. */
@Injectable()
export class OperationRunner {
  constructor(
    private readonly database: Database,
    private readonly operations: DatabaseOperationsStore,
    private readonly handlers: OperationHandlers,
    private readonly metrics: OperationMetrics,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Never throws. `signal` is aborted when the lease is lost, and with {@link OperationInterrupted} at a stop. */
  async run(claimed: ClaimedOperation, signal: AbortSignal): Promise<void> {
    try {
      const handler = this.handlers.of(claimed.kind);
      // Each attempt may have ended its process, so that nobody counted its fault.
      if (claimed.attempts > handler.maxAttempts) await this.fail(claimed, handler, failureOf(undefined));
      else await this.attempt(claimed, handler, signal);
    } catch (error) {
      await this.giveBack(claimed, error);
    }
  }

  private async attempt(claimed: ClaimedOperation, handler: OperationHandler, signal: AbortSignal): Promise<void> {
    let operation = claimed;
    try {
      while (operation.step < handler.steps.length) {
        signal.throwIfAborted();
        await handler.steps[operation.step]!(operation, signal);
        operation = { ...operation, step: operation.step + 1, attempts: 1 };
        if (!(await this.operations.advance(claimed, operation.step))) return;
      }
      await this.succeed(operation, handler);
    } catch (error) {
      if (signal.aborted) await this.leave(claimed, signal);
      else if (isFinal(error) || operation.attempts >= handler.maxAttempts)
        await this.fail(operation, handler, failureOf(error), error);
      else await this.giveBack(operation, error);
    }
  }

  private async succeed(operation: ClaimedOperation, handler: OperationHandler): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.operations.end(operation, undefined, this.clock.now()))) return;
      await handler.succeeded(operation);
      await this.counted(operation, 'done');
    });
  }

  private async fail(
    operation: ClaimedOperation,
    handler: OperationHandler,
    failure: OperationFailure,
    error?: unknown,
  ): Promise<void> {
    this.log.error({ ...factsOf(operation), error }, 'An operation on a database failed.');
    await this.database.transaction(async () => {
      if (!(await this.operations.end(operation, failure, this.clock.now()))) return;
      await handler.failed(operation, failure);
      await this.counted(operation, 'failed');
    });
  }

  private async giveBack(operation: ClaimedOperation, error: unknown): Promise<void> {
    const delayMs = pauseAfter(operation.attempts);
    this.log.warn({ ...factsOf(operation), error, delayMs }, 'A step of a database operation failed. It is repeated.');
    await this.operations.postpone(operation, { delayMs, isFault: true }).catch((cause: unknown) => {
      // The lease ends, and then the operation is taken again.
      this.log.debug({ ...factsOf(operation), error: cause }, 'An operation could not be handed back.');
    });
  }

  /** A lost lease is another worker's. At a stop, the operation is handed back at once. */
  private async leave(operation: ClaimedOperation, signal: AbortSignal): Promise<void> {
    if (signal.reason instanceof OperationInterrupted)
      await this.operations.postpone(operation, { delayMs: 0, isFault: false });
  }

  private counted({ kind }: ClaimedOperation, outcome: 'done' | 'failed'): Promise<void> {
    return this.database.afterCommit(() => {
      this.metrics.ended(kind, outcome);
      return Promise.resolve();
    });
  }
}

const factsOf = ({ id, databaseId, kind, step, attempts }: ClaimedOperation): Record<string, unknown> => ({
  operationId: id,
  databaseId,
  kind,
  step,
  attempts,
});
