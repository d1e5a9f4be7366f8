import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { DatabaseUnavailable } from '../databases.errors.js';
import { CLUSTER_ID, DATABASE_ID } from '../databases.ids.js';
import { DatabaseOperations } from '../operations/database-operations.js';
import { DatabaseOutcomes } from '../operations/database-outcomes.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { DatabaseHostsStore, type PlacedHost } from '../persistence/database-hosts.store.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { DatabaseDirectory } from './database-directory.js';
import { newLabelOf } from './database-label.js';

export interface NewDatabaseInput {
  readonly orgId: string;
  readonly projectId: string | null;
  readonly name: string;
  /** The database that it is a copy of, whose host it shares. The caller has locked its row. */
  readonly parent?: DatabaseRow;
  /** A database whose host it shares otherwise. */
  readonly host?: DatabaseRow;
  /** The operation that makes its data. */
  readonly operation: {
    readonly kind: string;
    readonly state: 'creating' | 'restoring';
    readonly input?: Readonly<Record<string, unknown>>;
  };
}

/** Adds databases, and asks for the operations that make their data. */
@Injectable()
export class DatabaseCreation {
  constructor(
    private readonly databases: DatabasesStore,
    private readonly hosts: DatabaseHostsStore,
    private readonly operations: DatabaseOperations,
    private readonly outcomes: DatabaseOutcomes,
    private readonly directory: DatabaseDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a database in the running transaction, which has locked its organization and checked that there is room.
   * Without a call, the service itself adds a copy of `parent`.
   *
   * @throws {DatabaseUnavailable} `database_unavailable`: no host can take it.
   */
  async add(
    call: Call | undefined,
    { orgId, projectId, name, parent, host: beside = parent, operation }: NewDatabaseInput,
  ): Promise<DatabaseRow> {
    const host = beside === undefined ? await this.leastUsedHost() : { id: beside.host_id, engine: beside.engine };
    const database = await this.databases.insert({
      id: this.ids.next(DATABASE_ID),
      org_id: orgId,
      project_id: projectId,
      name,
      label: newLabelOf(name),
      engine: host.engine,
      cluster_id: this.ids.next(CLUSTER_ID),
      host_id: host.id,
      parent_id: parent?.id ?? null,
      state: operation.state,
      created_by: call?.principal.user.id ?? parent!.created_by,
      created_at: this.clock.now(),
    });
    const { kind, input = {} } = operation;
    await this.operations.request({ databaseId: database.id, hostId: host.id, kind, input });
    await this.directory.record(call, 'database.created', database, {
      ...(parent === undefined ? {} : { parent_id: parent.id }),
    });
    await this.outcomes.publish('database.created', database);
    return database;
  }

  private async leastUsedHost(): Promise<PlacedHost> {
    const host = await this.hosts.leastUsed();
    if (host === undefined) throw new DatabaseUnavailable('No host for databases is available at the moment.');
    return host;
  }
}
