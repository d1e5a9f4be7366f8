import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { ArchiveLoop } from '../backups/archive-loop.js';
import { DatabasesNotSwappable } from '../databases.errors.js';
import { OwnEngine } from '../engine/own/own-engine.js';
import { OperationHandler, type OperationStep } from '../operations/operation-handler.js';
import { OperationHandlers } from '../operations/operation-handlers.js';
import type { Operation } from '../operations/operation.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { DatabasesStore } from '../persistence/databases.store.js';

/** Exchanges the data of two databases, so that the clients of one reach what the other had. */
@Injectable()
export class SwapDatabases extends OperationHandler {
  readonly kind = 'swap';

  readonly steps: readonly OperationStep[] = [(operation: Operation): Promise<void> => this.swap(operation)];

  constructor(
    handlers: OperationHandlers,
    private readonly database: Database,
    private readonly databases: DatabasesStore,
    private readonly engine: OwnEngine,
    private readonly archive: ArchiveLoop,
    private readonly clock: Clock,
  ) {
    super(handlers);
  }

  succeeded(): Promise<void> {
    return Promise.resolve();
  }

  failed(): Promise<void> {
    return Promise.resolve();
  }

  /** The clusters that were meant are in the input, so that a repeated step does not swap them back. */
  private async swap({ databaseId, input }: Operation): Promise<void> {
    const [clusterId, otherClusterId] = [input['cluster_id'] as string, input['with_cluster_id'] as string];
    const [first, second] = [clusterId, otherClusterId].sort();
    await this.stopped(first!, () =>
      this.stopped(second!, () =>
        this.database.transaction(async () => {
          const [one, other] = await this.lock(databaseId, input['with'] as string);
          if (one?.cluster_id === otherClusterId && other?.cluster_id === clusterId) return;
          if (one?.cluster_id !== clusterId || other?.cluster_id !== otherClusterId || other.state !== 'ready')
            throw new DatabasesNotSwappable('One of the databases has changed meanwhile.');
          await this.databases.swap(one.id, other.id, this.clock.now());
        }),
      ),
    );
  }

  /** The log of a server that is stopped here is stored as before any other sleep. */
  private stopped<Result>(clusterId: string, work: () => Promise<Result>): Promise<Result> {
    return this.engine.whileStopped(clusterId, async () => {
      const result = await work();
      await this.archive.storeIfPossible(clusterId);
      return result;
    });
  }

  /** Always in the same order, so that two swaps do not wait for each other. */
  private async lock(id: string, otherId: string): Promise<(DatabaseRow | undefined)[]> {
    const rows = new Map<string, DatabaseRow | undefined>();
    for (const each of [id, otherId].sort()) rows.set(each, await this.databases.lockById(each));
    return [rows.get(id), rows.get(otherId)];
  }
}
