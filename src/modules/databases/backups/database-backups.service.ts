import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { DATABASE_BACKUP_ID } from '../databases.ids.js';
import { DatabaseDirectory } from '../domain/database-directory.js';
import type { Backup } from '../persistence/backup-rows.js';
import { DatabaseBackupsStore } from '../persistence/database-backups.store.js';
import { requireBackups } from './requirements.js';

/** Lists and requests backups of databases. Their hosts make them. */
@Injectable()
export class DatabaseBackupsService {
  constructor(
    private readonly database: Database,
    private readonly directory: DatabaseDirectory,
    private readonly backups: DatabaseBackupsStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists the backups of a database, newest first.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, databaseId: string, page: PageRequest): Promise<Page<Backup>> {
    const { cluster_id: clusterId } = await this.directory.get(call, databaseId, 'databases:read', { deleted: true });
    return this.backups.list(clusterId, page);
  }

  /**
   * Asks for a backup now. Until it is made, further calls return the same one.
   *
   * @throws {DatabaseBusy} `database_busy`: the database is not ready.
   * @throws {DatabaseNotRestorable} `database_not_restorable`: databases of this kind have no backups.
   * @throws as {@link list}.
   */
  request(call: Call, databaseId: string): Promise<Backup> {
    return this.database.transaction(async () => {
      const row = await this.directory.lock(call, databaseId, 'databases:write');
      requireBackups(row);
      const pending = await this.backups.findPending(row.cluster_id);
      if (pending !== undefined) return pending;
      const id = this.ids.next(DATABASE_BACKUP_ID);
      const backup = await this.backups.insert({
        id,
        clusterId: row.cluster_id,
        kind: 'manual',
        createdAt: this.clock.now(),
      });
      await this.directory.record(call, 'database.backup_requested', row, { backup_id: id });
      return backup;
    });
  }
}
