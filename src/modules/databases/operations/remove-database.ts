import { Injectable } from '@nestjs/common';
import { DatabaseEngine } from '../engine/database-engine.js';
import { DatabaseOperationsStore } from '../persistence/database-operations.store.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { DatabaseRemovals } from './database-removals.js';
import { OperationHandler, type OperationStep } from './operation-handler.js';
import { OperationHandlers } from './operation-handlers.js';
import type { Operation } from './operation.js';

/** Removes a deleted database for good: its data, what other parts keep for it, and its row. */
@Injectable()
export class RemoveDatabase extends OperationHandler {
  readonly kind = 'remove';
  /** Nothing else could be done about it, so it is repeated until it succeeds. */
  override readonly maxAttempts = Infinity;

  readonly steps: readonly OperationStep[] = [this.drop.bind(this), this.removeTheRest.bind(this)];

  constructor(
    handlers: OperationHandlers,
    private readonly databases: DatabasesStore,
    private readonly operations: DatabaseOperationsStore,
    private readonly engine: DatabaseEngine,
    private readonly removals: DatabaseRemovals,
  ) {
    super(handlers);
  }

  async succeeded({ databaseId }: Operation): Promise<void> {
    await this.operations.deleteOf(databaseId);
    await this.databases.remove(databaseId);
  }

  failed(): Promise<void> {
    return Promise.resolve();
  }

  private async drop({ databaseId }: Operation): Promise<void> {
    const database = await this.databases.findById(databaseId);
    await this.engine.sleep(database!.cluster_id);
    await this.engine.drop(database!.cluster_id);
  }

  private async removeTheRest({ databaseId }: Operation, signal: AbortSignal): Promise<void> {
    const database = await this.databases.findById(databaseId);
    await this.removals.run(database!, signal);
  }
}
