import type { ListQuery } from './page.js';

export type DatabaseState = 'creating' | 'restoring' | 'ready' | 'failed' | 'deleting' | 'deleted';

/** A PostgreSQL database. */
export interface Database {
  /** `db_…` */
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string | null;
  readonly name: string;
  readonly state: DatabaseState;
  readonly engine: string;
  /** The database that it is a branch of. */
  readonly parent_id: string | null;
  /** True when a project gives it to its production deploys. */
  readonly in_production: boolean;
  /** Why the state is `failed`. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Why it takes no writes: it is larger than its quota, or the organization is out of credits. */
  readonly read_only_because: 'quota' | 'credits' | 'archive' | 'disk' | null;
  /** A database that is asleep wakes when it is asked. */
  readonly activity: 'active' | 'idle' | 'frozen' | 'asleep';
  readonly connections: { readonly open: number; readonly limit: number };
  readonly size_bytes: number;
  readonly quota_bytes: number;
  readonly last_active_at: string | null;
  readonly host: string;
  readonly port: number;
  /** Its name in connection URLs. */
  readonly database: string;
  /** The moments that it can be restored to. */
  readonly restorable: { readonly from: string | null; readonly until: string | null };
  /** What its engine can do. */
  readonly can: { readonly branch: boolean; readonly restore: boolean };
  readonly created_at: string;
  readonly deleted_at: string | null;
  /** Until then `undelete` brings it back. */
  readonly restorable_until: string | null;
}

export interface DatabasesQuery extends ListQuery {
  readonly organization_id?: string | undefined;
  readonly project_id?: string | undefined;
  readonly include_deleted?: boolean | undefined;
}

export interface NewDatabase {
  readonly name: string;
  readonly project_id?: string | null;
  readonly organization_id?: string;
}

export interface DatabaseChange {
  readonly name?: string;
  readonly project_id?: string | null;
}

/** `reader` can change nothing. */
export type DatabaseAccess = 'owner' | 'reader';

export interface DatabaseCredential {
  readonly id: string;
  readonly name: string;
  readonly access: DatabaseAccess;
  /** The name to connect as. */
  readonly user: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

/** A credential with its URL, which contains the password and is shown once. */
export interface IssuedDatabaseCredential extends DatabaseCredential {
  readonly url: string;
}

export interface NewDatabaseCredential {
  readonly access: DatabaseAccess;
  readonly name?: string;
}

/** Gives the apps and builds of a project a connection in `<prefix>_URL`, without a password. */
export interface DatabaseAttachment {
  readonly database_id: string;
  readonly project_id: string;
  readonly prefix: string;
  readonly targets: readonly ('production' | 'preview')[];
  /** What previews get: the same database, a branch each, or none. */
  readonly previews: 'same' | 'branch' | 'none';
  readonly access: DatabaseAccess;
  readonly created_at: string;
}

/** The prefix is `DATABASE` unless you choose another. */
export type DatabaseAttachmentChange = Partial<Pick<DatabaseAttachment, 'prefix' | 'targets' | 'previews' | 'access'>>;

export interface DatabaseBackup {
  /** `dbk_…` */
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly size_bytes: number;
  readonly created_at: string;
  readonly finished_at: string | null;
}

export interface DatabaseRestore {
  /** A moment between `restorable.from` and `restorable.until`. */
  readonly at: string;
  /** Name of the database that is created. */
  readonly name?: string;
}

/** One statement. Its parameters are `$1`, `$2` and so on. */
export interface DatabaseQuery {
  readonly sql: string;
  readonly params?: readonly unknown[];
  /** With `read`, it can change nothing. */
  readonly access: 'read' | 'write';
  /** At most 30,000. */
  readonly timeout_ms?: number;
  /** At most 10,000. */
  readonly max_rows?: number;
}

export interface DatabaseResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly row_count: number;
  /** Whether there are more rows than `max_rows`. */
  readonly truncated: boolean;
  readonly duration_ms: number;
  /** Such as `SELECT` or `INSERT`. */
  readonly command: string | null;
}

export interface DatabaseTableSize {
  readonly schema: string;
  readonly name: string;
  /** null before the table was analyzed. */
  readonly row_estimate: number | null;
  readonly size_bytes: number;
}

export interface DatabaseTable extends DatabaseTableSize {
  readonly kind: 'table' | 'view' | 'materialized_view' | 'foreign_table';
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly nullable: boolean;
    readonly default: string | null;
  }[];
  readonly indexes: readonly {
    readonly name: string;
    readonly unique: boolean;
    readonly primary: boolean;
    readonly definition: string;
  }[];
}

export interface DatabaseSchema {
  readonly schemas: readonly string[];
  readonly tables: readonly DatabaseTable[];
  /** Whether there are more tables. */
  readonly truncated: boolean;
}

/** Counts are since the database last woke. */
export interface DatabaseStats {
  readonly size_bytes: number;
  readonly connections: number;
  readonly cache_hit_rate: number | null;
  readonly commits: number;
  readonly rollbacks: number;
  readonly deadlocks: number;
  readonly temporary_bytes: number;
  /** The largest tables. */
  readonly tables: readonly DatabaseTableSize[];
  readonly slow_statements:
    | readonly {
        readonly statement: string;
        readonly calls: number;
        readonly rows: number;
        readonly total_ms: number;
        readonly mean_ms: number;
      }[]
    | null;
}
