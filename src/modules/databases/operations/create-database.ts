import { Injectable } from '@nestjs/common';
import { DatabaseEngine } from '../engine/database-engine.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { DatabaseOutcomes } from './database-outcomes.js';
import { OperationHandler, type OperationStep } from './operation-handler.js';
import { OperationHandlers } from './operation-handlers.js';
import type { Operation, OperationFailure } from './operation.js';

/** Creates the data of an empty database. */
@Injectable()
export class CreateDatabase extends OperationHandler {
  readonly kind = 'create';

  readonly steps: readonly OperationStep[] = [this.create.bind(this)];

  constructor(
    handlers: OperationHandlers,
    private readonly databases: DatabasesStore,
    private readonly engine: DatabaseEngine,
    private readonly outcomes: DatabaseOutcomes,
  ) {
    super(handlers);
  }

  succeeded({ databaseId }: Operation): Promise<void> {
    return this.outcomes.ready(databaseId);
  }

  failed({ databaseId }: Operation, failure: OperationFailure): Promise<void> {
    return this.outcomes.failed(databaseId, failure);
  }

  private async create({ databaseId }: Operation): Promise<void> {
    const database = await this.databases.findById(databaseId);
    await this.engine.create(database!.cluster_id);
  }
}
