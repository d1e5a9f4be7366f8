import { Injectable } from '@nestjs/common';
import { OwnEngine } from '../engine/own/own-engine.js';
import { DatabaseOutcomes } from '../operations/database-outcomes.js';
import { OperationHandler, type OperationStep } from '../operations/operation-handler.js';
import { OperationHandlers } from '../operations/operation-handlers.js';
import type { Operation, OperationFailure } from '../operations/operation.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { ArchivedLog } from './archived-log.js';
import { RestoredClusters } from './restored-clusters.js';
import { type Restore, Restores } from './restores.js';

/** Creates a database with the contents that another one had at a moment. */
@Injectable()
export class RestoreDatabase extends OperationHandler {
  readonly kind = 'restore';

  readonly steps: readonly OperationStep[] = [
    (operation: Operation, signal: AbortSignal): Promise<void> => this.completeLog(operation, signal),
    async (operation: Operation, signal: AbortSignal): Promise<void> => {
      const restore = await this.restoreOf(operation);
      await this.engine.prepare(restore.targetId);
      await this.restores.unpack(restore, signal);
    },
    async (operation: Operation, signal: AbortSignal): Promise<void> =>
      this.restores.recover(await this.restoreOf(operation), signal),
    async (operation: Operation): Promise<void> => {
      const { sourceId, targetId } = await this.restoreOf(operation);
      await this.completion.complete(targetId, sourceId);
    },
  ];

  constructor(
    handlers: OperationHandlers,
    private readonly databases: DatabasesStore,
    private readonly engine: OwnEngine,
    private readonly archivedLog: ArchivedLog,
    private readonly restores: Restores,
    private readonly completion: RestoredClusters,
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

  /** The source may be damaged, which is a reason to restore it: what is stored already then has to do. */
  private async completeLog({ hostId, input }: Operation, signal: AbortSignal): Promise<void> {
    const clusterId = input['source_cluster_id'] as string;
    const source = await this.databases.findByCluster(clusterId);
    if (source?.state !== 'ready' || source.host_id !== hostId) return;
    await this.archivedLog.completeIfPossible(clusterId, signal);
  }

  private async restoreOf({ databaseId, input }: Operation): Promise<Restore> {
    const target = await this.databases.findById(databaseId);
    return {
      sourceId: input['source_cluster_id'] as string,
      targetId: target!.cluster_id,
      at: typeof input['at'] === 'string' ? new Date(input['at']) : null,
    };
  }
}
