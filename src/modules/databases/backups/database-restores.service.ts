import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { DatabaseNotRestorable } from '../databases.errors.js';
import { DatabaseAdmission } from '../domain/database-admission.js';
import { DatabaseCreation } from '../domain/database-creation.js';
import { DatabaseDescriptions } from '../domain/database-descriptions.js';
import { DatabaseDirectory } from '../domain/database-directory.js';
import type { DescribedDatabase } from '../domain/described-database.js';
import { requireBackups } from './requirements.js';
import { RestorableWindows } from './restorable-windows.js';

const LONGEST_NAME = 100;

export interface RestoreInput {
  readonly at: Date;
  /** The name of the new database. The default tells where it comes from. */
  readonly name?: string | undefined;
}

/** Restores databases to moments of the past, as new databases. */
@Injectable()
export class DatabaseRestoresService {
  constructor(
    private readonly database: Database,
    private readonly directory: DatabaseDirectory,
    private readonly admission: DatabaseAdmission,
    private readonly creation: DatabaseCreation,
    private readonly descriptions: DatabaseDescriptions,
    private readonly windows: RestorableWindows,
  ) {}

  /**
   * Adds a database with the contents that another one had at a moment. That one is not changed.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {DatabaseNotRestorable} `database_not_restorable`
   * @throws {DatabaseBusy} `database_busy`: the database is not ready.
   * @throws {TooManyDatabases} `plan_limit_reached`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {DatabaseNameTaken} `already_exists`
   */
  async restore(call: Call, databaseId: string, { at, name }: RestoreInput): Promise<DescribedDatabase> {
    const found = await this.directory.get(call, databaseId, 'databases:admin');
    const newName = name ?? nameOf(found.name, at);
    const row = await this.database.transaction(async () => {
      await this.admission.lockRoom(call, found.org_id);
      await this.admission.requireFreeName(found.org_id, newName);
      const source = await this.directory.lock(call, databaseId, 'databases:admin');
      requireBackups(source);
      const window = (await this.windows.of([source])).get(source.id)!;
      if (window.from === null || at < window.from || at > window.until!)
        throw new DatabaseNotRestorable('The database cannot be restored to this moment.', window);
      return this.creation.add(call, {
        orgId: source.org_id,
        projectId: source.project_id,
        name: newName,
        host: source,
        operation: {
          kind: 'restore',
          state: 'restoring',
          input: { source_cluster_id: source.cluster_id, at: at.toISOString() },
        },
      });
    });
    return this.descriptions.of(row);
  }
}

const nameOf = (name: string, at: Date): string => {
  const suffix = ` ${at.toISOString().slice(0, 23).replace('T', ' ')}`;
  return name.slice(0, LONGEST_NAME - suffix.length) + suffix;
};
