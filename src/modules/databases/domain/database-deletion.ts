import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { DatabaseOperations } from '../operations/database-operations.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { DatabaseDirectory } from './database-directory.js';

/** Asks for the deletion of databases. */
@Injectable()
export class DatabaseDeletion {
  constructor(
    private readonly databases: DatabasesStore,
    private readonly operations: DatabaseOperations,
    private readonly directory: DatabaseDirectory,
    private readonly orgs: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Begins to delete a database whose row the running transaction has locked. One that was never ready holds nothing
   * that could be kept, and is removed at once. Of those that are kept, the oldest go beyond the number of the plan.
   *
   * @throws {DatabaseBusy} `database_busy`
   */
  async begin(call: Call | undefined, database: DatabaseRow): Promise<void> {
    if (database.deleted_at !== null) return;
    const kind = database.state === 'failed' ? 'remove' : 'delete';
    await this.operations.request({ databaseId: database.id, hostId: database.host_id, kind });
    await this.directory.record(
      call,
      'database.deleted',
      await this.databases.setDeleting(database.id, this.clock.now()),
    );
    await this.removeSurplus(database.org_id);
  }

  /** Removes the data of a deleted database for good. It does nothing to one that was restored meanwhile. */
  async removeForGood(id: string): Promise<void> {
    const database = await this.databases.lockById(id);
    if (database?.state !== 'deleted' || (await this.operations.isBusy(id))) return;
    await this.operations.request({ databaseId: id, hostId: database.host_id, kind: 'remove' });
  }

  /** What is deleted is not billed, so an organization keeps no more of it than it may have databases. */
  private async removeSurplus(orgId: string): Promise<void> {
    const plan = await this.orgs.planOf(orgId);
    if (plan === undefined) return;
    const ids = await this.databases.deletedBeyond(orgId, PLANS[plan].databases.count);
    for (const id of ids) await this.removeForGood(id);
  }
}
