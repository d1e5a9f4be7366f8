import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { BranchHasChildren, DatabaseBusy, DatabaseNotFound } from '../databases.errors.js';
import { DatabaseOperations } from '../operations/database-operations.js';
import { DatabaseOutcomes } from '../operations/database-outcomes.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { DatabaseAdmission } from './database-admission.js';
import { DatabaseDeletion } from './database-deletion.js';
import { DatabaseDirectory } from './database-directory.js';
import { restorableUntilOf } from './described-database.js';

/** Absent fields stay as they are. */
export interface UpdateDatabaseInput {
  readonly name?: string | undefined;
  /** Id or slug. Null for a database of no project. */
  readonly project?: string | null | undefined;
}

/** Changes databases in the running transaction. */
@Injectable()
export class DatabaseChanges {
  constructor(
    private readonly databases: DatabasesStore,
    private readonly directory: DatabaseDirectory,
    private readonly admission: DatabaseAdmission,
    private readonly deletion: DatabaseDeletion,
    private readonly operations: DatabaseOperations,
    private readonly outcomes: DatabaseOutcomes,
    private readonly clock: Clock,
  ) {}

  async update(call: Call, id: string, { name, project }: UpdateDatabaseInput): Promise<DatabaseRow> {
    const { org_id: orgId } = await this.directory.get(call, id, 'databases:write');
    // Creations compare names under the lock of the organization.
    if (name !== undefined) await this.admission.lockOrg(call, orgId);
    const before = await this.directory.lock(call, id, 'databases:write');
    const projectId =
      project == null ? project : await this.admission.projectIdOf(call, orgId, project, 'databases:write');
    const after = { name: name ?? before.name, projectId: projectId === undefined ? before.project_id : projectId };
    const changed = [
      ...(after.name === before.name ? [] : ['name']),
      ...(after.projectId === before.project_id ? [] : ['project_id']),
    ];
    if (changed.length === 0) return before;
    if (after.name !== before.name) await this.admission.requireFreeName(orgId, after.name);
    const row = await this.databases.setFields(id, { ...after, at: this.clock.now() });
    await this.directory.record(call, 'database.changed', row, { changed });
    return row;
  }

  async delete(call: Call, id: string): Promise<void> {
    const database = await this.directory.lock(call, id, 'databases:admin');
    if (await this.databases.hasChildren(id)) throw new BranchHasChildren();
    await this.deletion.begin(call, database);
  }

  /** Removes a deleted database now instead of after 7 days. */
  async purge(call: Call, id: string): Promise<void> {
    const database = await this.directory.lock(call, id, 'databases:admin', { deleted: true });
    if (database.deleted_at === null) throw new DatabaseNotFound();
    if (database.state !== 'deleted') throw new DatabaseBusy();
    await this.deletion.removeForGood(id);
    await this.directory.record(call, 'database.purged', database);
  }

  /** Undoes a deletion. A database that is not deleted stays as it is. */
  async undelete(call: Call, id: string): Promise<DatabaseRow> {
    const found = await this.directory.get(call, id, 'databases:admin', { deleted: true });
    if (found.deleted_at === null) return found;
    await this.admission.lockRoom(call, found.org_id);
    const database = await this.directory.lock(call, id, 'databases:admin', { deleted: true });
    if (database.deleted_at === null) return database;
    if (database.state !== 'deleted') throw new DatabaseBusy();
    if (restorableUntilOf(database)! <= this.clock.now()) throw new DatabaseNotFound();
    await this.operations.requireIdle(id);
    await this.admission.requireFreeName(database.org_id, database.name);
    const row = await this.databases.setReady(id, this.clock.now());
    await this.directory.record(call, 'database.undeleted', row);
    await this.outcomes.publish('database.ready', row);
    return row;
  }
}
