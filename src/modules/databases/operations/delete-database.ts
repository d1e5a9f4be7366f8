import { Injectable } from '@nestjs/common';
import { DatabaseEngine } from '../engine/database-engine.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { DatabaseOutcomes } from './database-outcomes.js';
import { OperationHandler, type OperationStep } from './operation-handler.js';
import { OperationHandlers } from './operation-handlers.js';
import type { Operation } from './operation.js';

/** Stops a database whose deletion was asked for. Its data is kept, so that the deletion can be undone. */
@Injectable()
export class DeleteDatabase extends OperationHandler {
  readonly kind = 'delete';
  /** Nothing else could be done about it, so it is repeated until it succeeds. */
  override readonly maxAttempts = Infinity;

  readonly steps: readonly OperationStep[] = [this.stop.bind(this)];

  constructor(
    handlers: OperationHandlers,
    private readonly databases: DatabasesStore,
    private readonly engine: DatabaseEngine,
    private readonly outcomes: DatabaseOutcomes,
  ) {
    super(handlers);
  }

  succeeded({ databaseId }: Operation): Promise<void> {
    return this.outcomes.deleted(databaseId);
  }

  failed(): Promise<void> {
    return Promise.resolve();
  }

  private async stop({ databaseId }: Operation): Promise<void> {
    const database = await this.databases.findById(databaseId);
    await this.engine.sleep(database!.cluster_id);
  }
}
