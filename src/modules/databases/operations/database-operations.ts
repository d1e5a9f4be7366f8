import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { DATABASE_OPERATION_ID } from '../databases.ids.js';
import { DatabaseBusy } from '../databases.errors.js';
import { DatabaseOperationsStore } from '../persistence/database-operations.store.js';

export interface OperationRequest {
  readonly databaseId: string;
  /** The host that does it. */
  readonly hostId: string;
  readonly kind: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

/** Asks for operations. A host does them soon after the commit. */
@Injectable()
export class DatabaseOperations {
  constructor(
    private readonly operations: DatabaseOperationsStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Asks for an operation in the running transaction, and returns its id.
   *
   * @throws {DatabaseBusy} `database_busy`: one operation at a time changes a database.
   */
  async request({ databaseId, hostId, kind, input = {} }: OperationRequest): Promise<string> {
    const id = this.ids.next(DATABASE_OPERATION_ID);
    await this.operations.insert({ id, databaseId, hostId, kind, input, createdAt: this.clock.now() });
    return id;
  }

  /** @throws {DatabaseBusy} `database_busy` while an operation is active. */
  async requireIdle(databaseId: string): Promise<void> {
    if (await this.isBusy(databaseId)) throw new DatabaseBusy();
  }

  isBusy(databaseId: string): Promise<boolean> {
    return this.operations.hasActive(databaseId);
  }
}
