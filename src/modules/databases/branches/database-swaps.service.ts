import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { DatabaseBusy, DatabasesNotSwappable } from '../databases.errors.js';
import { requireBackups } from '../backups/requirements.js';
import { DatabaseDescriptions } from '../domain/database-descriptions.js';
import { DatabaseDirectory } from '../domain/database-directory.js';
import type { DescribedDatabase } from '../domain/described-database.js';
import { DatabaseOperations } from '../operations/database-operations.js';
import type { DatabaseRow } from '../persistence/database-rows.js';

const WITHIN_MS = 20_000;
const PAUSE_MS = 50;

/** Swaps the data of databases. */
@Injectable()
export class DatabaseSwapsService {
  constructor(
    private readonly database: Database,
    private readonly directory: DatabaseDirectory,
    private readonly operations: DatabaseOperations,
    private readonly descriptions: DatabaseDescriptions,
  ) {}

  /**
   * Exchanges the data of two databases. Names, connection URLs and attachments stay, so clients reach the other data.
   * Resolves with the first one when that is done.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {DatabasesNotSwappable} `databases_not_swappable`
   * @throws {DatabaseBusy} `database_busy`: one of them is not ready, or it takes longer than 20 s.
   */
  async swap(call: Call, id: string, otherId: string, { isDryRun = false } = {}): Promise<DescribedDatabase> {
    if (isDryRun) {
      await this.database.rehearse(() => this.request(call, id, otherId));
      return this.descriptions.of(await this.directory.get(call, id, 'databases:admin'));
    }
    const clusterId = await this.database.transaction(() => this.request(call, id, otherId));
    const deadlineMs = performance.now() + WITHIN_MS;
    while (await this.operations.isBusy(id)) {
      if (performance.now() > deadlineMs) throw new DatabaseBusy('The swap takes longer than usual.');
      await sleep(PAUSE_MS);
    }
    const row = await this.directory.get(call, id, 'databases:admin');
    if (row.cluster_id !== clusterId) throw new DatabasesNotSwappable('The databases could not be swapped.');
    return this.descriptions.of(row);
  }

  /** Returns the cluster that the first one has in the end. */
  private async request(call: Call, id: string, otherId: string): Promise<string> {
    const rows = new Map<string, DatabaseRow>();
    for (const each of [id, otherId].sort()) rows.set(each, await this.directory.lock(call, each, 'databases:admin'));
    const [one, other] = [rows.get(id)!, rows.get(otherId)!];
    if (one.id === other.id) throw new DatabasesNotSwappable('A database cannot be swapped with itself.');
    if (one.org_id !== other.org_id) throw new DatabasesNotSwappable('The databases belong to two organizations.');
    if (one.host_id !== other.host_id) throw new DatabasesNotSwappable('The databases are on two hosts.');
    for (const each of [one, other]) requireBackups(each);
    await this.operations.requireIdle(other.id);
    await this.operations.request({
      databaseId: one.id,
      hostId: one.host_id,
      kind: 'swap',
      input: { with: other.id, cluster_id: one.cluster_id, with_cluster_id: other.cluster_id },
    });
    await this.directory.record(call, 'database.swapped', one, { with: other.id });
    return other.cluster_id;
  }
}
