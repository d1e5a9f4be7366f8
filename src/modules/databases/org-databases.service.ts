import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../platform/database/page.js';
import type { Call } from '../auth/caller.js';
import type { Scope } from '../auth/scopes.js';
import { DatabaseNotFound } from './databases.errors.js';
import { DatabaseDirectory } from './domain/database-directory.js';
import { DatabaseAttachmentsStore } from './persistence/database-attachments.store.js';
import type { DatabaseRow, DatabaseState } from './persistence/database-rows.js';
import { DatabasesStore } from './persistence/databases.store.js';
import { DatabaseInspection, type DescribedSchema } from './sql/database-inspection.js';
import { DatabaseQueries, type QueryResult } from './sql/database-queries.js';
import type { QueryInput } from './sql/query-runner.js';

/** A database as other modules see it. */
export interface OrgDatabase {
  readonly id: string;
  readonly name: string;
  /** The database that it is a branch of. */
  readonly parentId: string | null;
  /** True when production deploys get it. A branch may be, after a swap or by an attachment of its own. */
  readonly isInProduction: boolean;
  readonly state: DatabaseState;
  /** True while a full quota or missing credits refuse writes. */
  readonly isReadOnly: boolean;
  readonly sizeBytes: number;
}

/** Lists, describes and queries databases for other modules, with the permissions of a caller. */
@Injectable()
export class OrgDatabasesService {
  constructor(
    private readonly databases: DatabasesStore,
    private readonly attachments: DatabaseAttachmentsStore,
    private readonly directory: DatabaseDirectory,
    private readonly inspection: DatabaseInspection,
    private readonly queries: DatabaseQueries,
  ) {}

  /** Lists the databases of the organization of the call, newest first. @throws {InsufficientScopes} */
  async list({ principal, org }: Call, page: PageRequest): Promise<Page<OrgDatabase>> {
    principal.require('databases:read', org.id);
    const { items, next } = await this.databases.list(org.id, { includeDeleted: false }, page);
    return { items: await this.shown(items), next };
  }

  /**
   * Finds a database of the organization of the call.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get(call: Call, idOrName: string, scope: Scope): Promise<OrgDatabase> {
    const found = await this.find(call.org.id, idOrName);
    if (found === undefined) throw new DatabaseNotFound();
    const [shown] = await this.shown([await this.directory.get(call, found.id, scope)]);
    return shown!;
  }

  /** Returns those ids and names that no database of an organization has. */
  async missing(orgId: string, idsOrNames: readonly string[]): Promise<string[]> {
    const missing: string[] = [];
    for (const each of idsOrNames) if ((await this.find(orgId, each)) === undefined) missing.push(each);
    return missing;
  }

  /** Describes the tables of a database, which it wakes. @throws as {@link DatabaseInspection.schema}. */
  describe(call: Call, id: string, signal: AbortSignal): Promise<DescribedSchema> {
    return this.inspection.schema(call, id, signal);
  }

  /** Runs one statement. @throws as {@link DatabaseQueries.run}. */
  query(call: Call, id: string, input: QueryInput, signal: AbortSignal): Promise<QueryResult> {
    return this.queries.run(call, id, input, { signal });
  }

  private async find(orgId: string, idOrName: string): Promise<DatabaseRow | undefined> {
    const byId = await this.databases.find([orgId], idOrName);
    return byId?.state === 'deleted' ? undefined : (byId ?? (await this.databases.findByName(orgId, idOrName)));
  }

  private async shown(rows: readonly DatabaseRow[]): Promise<OrgDatabase[]> {
    const inProduction = await this.attachments.inProduction(rows.map(({ id }) => id));
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      parentId: row.parent_id,
      isInProduction: inProduction.has(row.id),
      state: row.state,
      isReadOnly: row.read_only_because !== null,
      sizeBytes: Number(row.size_bytes),
    }));
  }
}
