import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import { requireBackups } from '../backups/requirements.js';
import { DatabaseAdmission } from '../domain/database-admission.js';
import { DatabaseCreation } from '../domain/database-creation.js';
import { DatabaseDescriptions } from '../domain/database-descriptions.js';
import { DatabaseDirectory } from '../domain/database-directory.js';
import type { DescribedDatabase } from '../domain/described-database.js';
import { DatabasesStore } from '../persistence/databases.store.js';

/** Manages branches: databases that begin as copies of others. */
@Injectable()
export class DatabaseBranchesService {
  constructor(
    private readonly database: Database,
    private readonly databases: DatabasesStore,
    private readonly directory: DatabaseDirectory,
    private readonly admission: DatabaseAdmission,
    private readonly creation: DatabaseCreation,
    private readonly descriptions: DatabaseDescriptions,
  ) {}

  /**
   * Lists the branches of a database, newest first.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, databaseId: string, page: PageRequest): Promise<Page<DescribedDatabase>> {
    const parent = await this.directory.get(call, databaseId, 'databases:read');
    const { items, next } = await this.databases.list(
      parent.org_id,
      { parentId: parent.id, includeDeleted: false },
      page,
    );
    return { items: await this.descriptions.ofAll(items), next };
  }

  /**
   * Adds a branch, which is ready soon after. The parent goes on meanwhile, and is not changed.
   *
   * @throws {DatabaseBusy} `database_busy`: the parent is not ready.
   * @throws {DatabaseNotRestorable} `database_not_restorable`: databases of this kind have no branches.
   * @throws {TooManyDatabases} `plan_limit_reached`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {DatabaseNameTaken} `already_exists`
   * @throws as {@link list}.
   */
  async create(call: Call, databaseId: string, name: string): Promise<DescribedDatabase> {
    const { org_id: orgId } = await this.directory.get(call, databaseId, 'databases:write');
    const row = await this.database.transaction(async () => {
      await this.admission.lockRoom(call, orgId);
      await this.admission.requireFreeName(orgId, name);
      const parent = await this.directory.lock(call, databaseId, 'databases:write');
      requireBackups(parent);
      return this.creation.add(call, {
        orgId,
        projectId: parent.project_id,
        name,
        parent,
        operation: { kind: 'branch', state: 'creating', input: { parent_id: parent.id } },
      });
    });
    return this.descriptions.of(row);
  }
}
