import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { DatabaseNotFound } from '../databases.errors.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { DatabasesStore } from '../persistence/databases.store.js';

interface Lookup {
  /** True to find databases whose deletion can still be undone, too. */
  readonly deleted?: boolean;
}

/** Finds the databases that callers address, checks their permissions, and records what they do. */
@Injectable()
export class DatabaseDirectory {
  constructor(
    private readonly databases: DatabasesStore,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get(call: Call, id: string, scope: Scope, lookup: Lookup = {}): Promise<DatabaseRow> {
    return allowed(call, await this.databases.find(call.principal.lookupOrgIds, id), { scope, ...lookup });
  }

  /** {@link get}, and locks the row until the running transaction ends. */
  async lock(call: Call, id: string, scope: Scope, lookup: Lookup = {}): Promise<DatabaseRow> {
    return allowed(call, await this.databases.lock(call.principal.lookupOrgIds, id), { scope, ...lookup });
  }

  /** Writes to the audit log in the running transaction. Without a call, the service itself acted. */
  record(
    by: Call | undefined,
    action: `database.${string}`,
    { id, org_id: orgId, name }: DatabaseRow,
    details: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    return this.orgs.record({ orgId, action, target: { type: 'database', id }, details: { name, ...details } }, by);
  }
}

function allowed(
  { principal }: Call,
  row: DatabaseRow | undefined,
  { scope, deleted = false }: Lookup & { readonly scope: Scope },
): DatabaseRow {
  if (row === undefined || (row.state === 'deleted' && !deleted)) throw new DatabaseNotFound();
  principal.require(scope, row.org_id);
  return row;
}
