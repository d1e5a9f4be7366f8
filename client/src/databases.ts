import type {
  Database,
  DatabaseAttachment,
  DatabaseAttachmentChange,
  DatabaseBackup,
  DatabaseChange,
  DatabaseCredential,
  DatabaseQuery,
  DatabaseRestore,
  DatabaseResult,
  DatabasesQuery,
  DatabaseSchema,
  DatabaseStats,
  IssuedDatabaseCredential,
  NewDatabase,
  NewDatabaseCredential,
} from './database-types.js';
import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import { PAUSE_MS, sleep } from './sleep.js';
import type { RequestOptions, Transport } from './transport.js';

/**
 * PostgreSQL databases. Reads need `databases:read`, and writes need `databases:write`. Deleting, restoring and
 * swapping need `databases:admin`.
 */
export interface Databases extends DatabaseCalls {
  /** Waits until the database is created or restored, and resolves to it: `state` is `ready`, or else `failed`. */
  waitUntilReady(databaseId: string, options?: RequestOptions): Promise<Database>;

  /**
   * Downloads the database as SQL, or in the format of `pg_restore` where its host has `pg_dump` 18. Needs
   * `databases:write`.
   *
   * @throws {ValidationError} `export_format_unavailable` with the reason, or `query_failed`.
   * @returns a response whose body has not been read.
   */
  export(databaseId: string, format?: 'sql' | 'custom', options?: RequestOptions): Promise<Response>;

  /**
   * Runs an SQL file in the database, all of it or nothing. Needs `databases:admin`.
   *
   * @returns how many statements were run.
   * @throws {ValidationError} `query_failed`: `details.line` is the line that failed.
   */
  import(
    databaseId: string,
    sql: Blob | Uint8Array<ArrayBuffer>,
    options?: RequestOptions,
  ): Promise<{ readonly statements: number }>;

  readonly credentials: DatabaseCredentials;
  readonly attachments: DatabaseAttachments;
  readonly branches: DatabaseBranches;
  readonly backups: DatabaseBackups;
}

interface DatabaseCalls {
  list(query?: DatabasesQuery, options?: RequestOptions): Listing<Database>;

  /**
   * Creates a database. Resolves at once, in the state `creating`: see {@link Databases.waitUntilReady}.
   *
   * @throws {AuthorizationError} `plan_limit_reached`.
   */
  create(database: NewDatabase, options?: RequestOptions): Promise<Database>;

  /** @throws {NotFoundError} `database_not_found`. */
  get(databaseId: string, options?: RequestOptions): Promise<Database>;
  update(databaseId: string, change: DatabaseChange, options?: RequestOptions): Promise<Database>;

  /**
   * Deletes a database. For 7 days {@link undelete} brings it back.
   *
   * @throws {ConflictError} `branch_has_children`.
   */
  delete(databaseId: string, options?: RequestOptions): Promise<void>;
  undelete(databaseId: string, options?: RequestOptions): Promise<Database>;

  /** Removes a deleted database for good, with its backups. Nothing brings it back. */
  purge(databaseId: string, options?: RequestOptions): Promise<void>;

  /**
   * Runs one statement, which can change nothing unless `access` is `write`.
   *
   * @throws {ValidationError} `query_failed`: `details` has the SQLSTATE and the position.
   * @throws {ServiceError} `query_timeout`.
   */
  query(databaseId: string, query: DatabaseQuery, options?: RequestOptions): Promise<DatabaseResult>;

  /** Returns the tables with their columns, keys and indexes. */
  schema(databaseId: string, options?: RequestOptions): Promise<DatabaseSchema>;

  /** Returns the size of tables, the slowest queries and the connections. */
  stats(databaseId: string, options?: RequestOptions): Promise<DatabaseStats>;

  /**
   * Creates a database with the data of an earlier moment.
   *
   * @throws {ConflictError} `database_not_restorable`.
   */
  restore(databaseId: string, restore: DatabaseRestore, options?: RequestOptions): Promise<Database>;

  /** Exchanges the data of two databases. Their names, credentials and attachments stay. */
  swap(databaseId: string, otherDatabaseId: string, options?: RequestOptions): Promise<Database>;
}

export interface DatabaseCredentials {
  list(databaseId: string, query?: ListQuery, options?: RequestOptions): Listing<DatabaseCredential>;
  create(
    databaseId: string,
    credential: NewDatabaseCredential,
    options?: RequestOptions,
  ): Promise<IssuedDatabaseCredential>;

  /** Creates a user and a password. The old ones work for `grace_seconds` more, a day by default. */
  rotate(
    databaseId: string,
    credentialId: string,
    rotation?: { readonly grace_seconds?: number },
    options?: RequestOptions,
  ): Promise<IssuedDatabaseCredential>;

  /** Revokes a credential, and ends the connections that use it. */
  delete(databaseId: string, credentialId: string, options?: RequestOptions): Promise<void>;
}

/** Projects whose apps and builds get a connection. */
export interface DatabaseAttachments {
  list(databaseId: string, query?: ListQuery, options?: RequestOptions): Listing<DatabaseAttachment>;

  /** Attaches the database to a project, or changes how. The next deploy has it. */
  set(
    databaseId: string,
    projectId: string,
    attachment?: DatabaseAttachmentChange,
    options?: RequestOptions,
  ): Promise<DatabaseAttachment>;
  delete(databaseId: string, projectId: string, options?: RequestOptions): Promise<void>;
}

/** Copies that share nothing with their parent. */
export interface DatabaseBranches {
  list(databaseId: string, query?: ListQuery, options?: RequestOptions): Listing<Database>;
  create(databaseId: string, branch: { readonly name: string }, options?: RequestOptions): Promise<Database>;
}

export interface DatabaseBackups {
  list(databaseId: string, query?: ListQuery, options?: RequestOptions): Listing<DatabaseBackup>;
  create(databaseId: string, options?: RequestOptions): Promise<DatabaseBackup>;
}

export function databasesOf(transport: Transport): Databases {
  const calls = methodsOf<DatabaseCalls>(transport, {
    list: 'list databases',
    create: 'post databases',
    get: 'get databases/:',
    update: 'patch databases/:',
    delete: 'delete databases/:',
    undelete: 'post databases/:/undelete -',
    purge: 'post databases/:/purge -',
    query: 'post databases/:/query',
    schema: 'get databases/:/schema',
    stats: 'get databases/:/stats',
    restore: 'post databases/:/restore',
    swap: 'post databases/:/swap with',
  });
  const pathOf = (databaseId: string, part: string): string =>
    `/api/v1/databases/${encodeURIComponent(databaseId)}/${part}`;
  return {
    ...calls,
    async waitUntilReady(databaseId, options = {}) {
      for (;;) {
        const database = await calls.get(databaseId, options);
        if (!/ing$/.test(database.state)) return database;
        await sleep(PAUSE_MS, options.signal);
      }
    },
    export: (databaseId, format = 'sql', options) =>
      transport.response({ method: 'GET', path: pathOf(databaseId, 'export'), query: { format } }, options),
    import: (databaseId, sql, options) => transport.post(pathOf(databaseId, 'import'), sql, options),
    credentials: methodsOf<DatabaseCredentials>(transport, {
      list: 'list databases/:/credentials',
      create: 'post databases/:/credentials',
      rotate: 'post databases/:/credentials/:/rotate',
      delete: 'delete databases/:/credentials/:',
    }),
    attachments: methodsOf<DatabaseAttachments>(transport, {
      list: 'list databases/:/attachments',
      set: 'put databases/:/attachments/:',
      delete: 'delete databases/:/attachments/:',
    }),
    branches: methodsOf<DatabaseBranches>(transport, {
      list: 'list databases/:/branches',
      create: 'post databases/:/branches',
    }),
    backups: methodsOf<DatabaseBackups>(transport, {
      list: 'list databases/:/backups',
      create: 'post databases/:/backups -',
    }),
  };
}
