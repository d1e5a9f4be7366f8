import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { EventType } from '../../events/event-types.js';
import { OrgEvents } from '../../events/org-events.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import type { OperationFailure } from './operation.js';

/** Records what came of operations on databases, and announces it, in the transaction that ends them. */
@Injectable()
export class DatabaseOutcomes {
  constructor(
    private readonly databases: DatabasesStore,
    private readonly events: OrgEvents,
    private readonly clock: Clock,
  ) {}

  async ready(databaseId: string): Promise<void> {
    await this.publish('database.ready', await this.databases.setReady(databaseId, this.clock.now()));
  }

  async failed(databaseId: string, failure: OperationFailure): Promise<void> {
    const failed = await this.databases.setFailed(databaseId, failure, this.clock.now());
    await this.publish('database.failed', failed, { error: { ...failure } });
  }

  async deleted(databaseId: string): Promise<void> {
    await this.publish('database.deleted', await this.databases.setDeleted(databaseId, this.clock.now()));
  }

  /** Announces a change of a database in the running transaction. */
  publish(
    type: Extract<EventType, `database.${string}`>,
    { id, org_id: orgId, project_id, name, state }: DatabaseRow,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    return this.events.publish({ orgId, type, data: { database_id: id, project_id, name, state, ...more } });
  }
}
