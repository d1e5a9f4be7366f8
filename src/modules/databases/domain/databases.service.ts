import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import { DatabaseAdmission } from './database-admission.js';
import { DatabaseChanges, type UpdateDatabaseInput } from './database-changes.js';
import { DatabaseCreation } from './database-creation.js';
import { DatabaseDescriptions } from './database-descriptions.js';
import { DatabaseDirectory } from './database-directory.js';
import type { DescribedDatabase } from './described-database.js';
import { DatabasesStore } from '../persistence/databases.store.js';

export interface CreateDatabaseInput {
  readonly name: string;
  /** Id or slug. */
  readonly project?: string | undefined;
  /** Id or slug. The default is the organization of the call. */
  readonly organization?: string | undefined;
}

export interface DatabaseListInput {
  readonly organization?: string | undefined;
  /** Id or slug. */
  readonly project?: string | undefined;
  readonly includeDeleted?: boolean;
}

/** Manages the databases of organizations. */
@Injectable()
export class DatabasesService {
  constructor(
    private readonly database: Database,
    private readonly databases: DatabasesStore,
    private readonly directory: DatabaseDirectory,
    private readonly admission: DatabaseAdmission,
    private readonly creation: DatabaseCreation,
    private readonly changes: DatabaseChanges,
    private readonly descriptions: DatabaseDescriptions,
  ) {}

  /**
   * Lists the databases of an organization, newest first.
   *
   * @throws {OrgAccessDenied} `org_access_denied`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {ProjectNotFound} `project_not_found`
   */
  async list(call: Call, input: DatabaseListInput, page: PageRequest): Promise<Page<DescribedDatabase>> {
    const { organization, project, includeDeleted = false } = input;
    const org = organization === undefined ? call.org : call.principal.orgOf(organization);
    call.principal.require('databases:read', org.id);
    const projectId =
      project === undefined ? undefined : await this.admission.projectIdOf(call, org.id, project, 'databases:read');
    const { items, next } = await this.databases.list(org.id, { projectId, includeDeleted }, page);
    return { items: await this.descriptions.ofAll(items), next };
  }

  /**
   * Returns a database, also while its deletion can be undone.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get(call: Call, id: string): Promise<DescribedDatabase> {
    return this.descriptions.of(await this.directory.get(call, id, 'databases:read', { deleted: true }));
  }

  /**
   * Adds a database, which is ready soon after.
   *
   * @throws {OrgAccessDenied} `org_access_denied`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {TooManyDatabases} `plan_limit_reached`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   * @throws {DatabaseNameTaken} `already_exists`
   * @throws {DatabaseUnavailable} `database_unavailable`
   */
  async create(call: Call, { name, project, organization }: CreateDatabaseInput): Promise<DescribedDatabase> {
    const { id: orgId } = organization === undefined ? call.org : call.principal.orgOf(organization);
    call.principal.require('databases:write', orgId);
    const row = await this.database.transaction(async () => {
      const projectId =
        project === undefined ? null : await this.admission.projectIdOf(call, orgId, project, 'databases:write');
      await this.admission.lockRoom(call, orgId);
      await this.admission.requireFreeName(orgId, name);
      return this.creation.add(call, { orgId, projectId, name, operation: { kind: 'create', state: 'creating' } });
    });
    return this.descriptions.of(row);
  }

  /**
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {DatabaseNameTaken} `already_exists`
   * @throws as {@link get}.
   */
  async update(call: Call, id: string, input: UpdateDatabaseInput): Promise<DescribedDatabase> {
    return this.descriptions.of(await this.database.transaction(() => this.changes.update(call, id, input)));
  }

  /**
   * Begins to delete a database. The deletion can be undone for 7 days.
   *
   * @throws {BranchHasChildren} `branch_has_children`
   * @throws {DatabaseBusy} `database_busy`
   * @throws as {@link get}.
   */
  delete(call: Call, id: string): Promise<void> {
    return this.database.transaction(() => this.changes.delete(call, id));
  }

  /**
   * Begins to remove a deleted database for good, before its 7 days are over.
   *
   * @throws {DatabaseNotFound} `database_not_found` also for a database that is not deleted.
   * @throws {DatabaseBusy} `database_busy`
   * @throws as {@link get}.
   */
  purge(call: Call, id: string): Promise<void> {
    return this.database.transaction(() => this.changes.purge(call, id));
  }

  /**
   * Undoes a deletion within 7 days.
   *
   * @throws {TooManyDatabases} `plan_limit_reached`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {DatabaseNameTaken} `already_exists`
   * @throws {DatabaseBusy} `database_busy`
   * @throws as {@link get}.
   */
  async undelete(call: Call, id: string): Promise<DescribedDatabase> {
    return this.descriptions.of(await this.database.transaction(() => this.changes.undelete(call, id)));
  }
}
