import { Injectable } from '@nestjs/common';
import { PlatformSessions } from '../backups/platform-sessions.js';
import { DatabaseNotFound } from '../databases.errors.js';
import { OwnEngine } from '../engine/own/own-engine.js';
import { DatabaseOutcomes } from '../operations/database-outcomes.js';
import { OperationHandler, type OperationStep } from '../operations/operation-handler.js';
import { OperationHandlers } from '../operations/operation-handlers.js';
import type { Operation, OperationFailure } from '../operations/operation.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { ClusterCopies } from './cluster-copies.js';

/** Makes the data of a branch: a copy of that of its parent. */
@Injectable()
export class BranchDatabase extends OperationHandler {
  readonly kind = 'branch';

  readonly steps: readonly OperationStep[] = [
    async ({ databaseId, input }: Operation, signal: AbortSignal): Promise<void> => {
      const clusterId = await this.clusterOf(databaseId);
      await this.copies.copy(await this.clusterOf(input['parent_id'] as string), clusterId, signal);
    },
    async ({ databaseId }: Operation): Promise<void> => {
      const clusterId = await this.clusterOf(databaseId);
      // It replays the log of the copy before its first client comes.
      await this.sessions.run(clusterId, () => this.engine.measure(clusterId));
    },
  ];

  constructor(
    handlers: OperationHandlers,
    private readonly databases: DatabasesStore,
    private readonly engine: OwnEngine,
    private readonly copies: ClusterCopies,
    private readonly sessions: PlatformSessions,
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

  private async clusterOf(databaseId: string): Promise<string> {
    const database = await this.databases.findById(databaseId);
    if (database === undefined) throw new DatabaseNotFound();
    return database.cluster_id;
  }
}
