import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { DatabaseUnavailable, QueryFailed } from '../databases.errors.js';
import { DatabaseDirectory } from '../domain/database-directory.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { MAX_TABLES, SCHEMA_STATEMENT, SLOW_STATEMENTS, STATS_STATEMENT } from './inspection-statements.js';
import { QueryRunner } from './query-runner.js';

const TIMEOUT_MS = 10_000;
/** A tenant's functions and operators are not found, whatever is set for a role. */
const OWN_NAMES = { search_path: 'pg_catalog, pg_temp' };

interface DescribedColumn {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly default: string | null;
}

interface DescribedIndex {
  readonly name: string;
  readonly unique: boolean;
  readonly primary: boolean;
  readonly definition: string;
}

interface DescribedTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view' | 'materialized_view' | 'foreign_table';
  readonly row_estimate: number | null;
  readonly size_bytes: number;
  readonly columns: readonly DescribedColumn[] | null;
  readonly indexes: readonly DescribedIndex[] | null;
}

export interface DescribedSchema {
  readonly schemas: readonly string[] | null;
  readonly tables: readonly DescribedTable[] | null;
  readonly truncated: boolean;
}

export interface SlowStatement {
  readonly statement: string;
  readonly calls: number;
  readonly rows: number;
  readonly total_ms: number;
  readonly mean_ms: number;
}

interface DescribedActivity {
  readonly size_bytes: number;
  readonly connections: number;
  readonly blocks_hit: number;
  readonly blocks_read: number;
  readonly commits: number;
  readonly rollbacks: number;
  readonly deadlocks: number;
  readonly temporary_bytes: number;
  readonly tables: readonly Pick<DescribedTable, 'schema' | 'name' | 'row_estimate' | 'size_bytes'>[] | null;
}

export interface DatabaseStats extends DescribedActivity {
  /** Null where statements are not counted. */
  readonly slowStatements: readonly SlowStatement[] | null;
}

/** Describes what is in a database, and what it does. It wakes the database. */
@Injectable()
export class DatabaseInspection {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly runner: QueryRunner,
  ) {}

  /**
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {DatabaseUnavailable} `database_unavailable`
   * @throws {QueryTimeout} `query_timeout`
   */
  async schema(call: Call, id: string, signal?: AbortSignal): Promise<DescribedSchema> {
    const database = await this.directory.get(call, id, 'databases:read');
    const found = (await this.read(database, SCHEMA_STATEMENT, signal)) as Omit<DescribedSchema, 'truncated'>;
    const tables = found.tables ?? [];
    return { ...found, tables: tables.slice(0, MAX_TABLES), truncated: tables.length > MAX_TABLES };
  }

  /** @throws as {@link schema}. */
  async stats(call: Call, id: string, signal?: AbortSignal): Promise<DatabaseStats> {
    const database = await this.directory.get(call, id, 'databases:read');
    const activity = (await this.read(database, STATS_STATEMENT, signal)) as DescribedActivity;
    return { ...activity, slowStatements: await this.slowStatements(database, signal) };
  }

  private async slowStatements(
    database: DatabaseRow,
    signal: AbortSignal | undefined,
  ): Promise<readonly SlowStatement[] | null> {
    // Where it is a tenant's, a view of that name may be too.
    if (database.engine !== 'own') return null;
    try {
      return ((await this.read(database, SLOW_STATEMENTS, signal, true)) ?? []) as SlowStatement[];
    } catch (error) {
      if (error instanceof QueryFailed) return null;
      throw error;
    }
  }

  private async read(
    { id: databaseId, org_id: orgId }: DatabaseRow,
    sql: string,
    signal: AbortSignal | undefined,
    isAsPlatform = false,
  ): Promise<unknown> {
    const statement = { sql, params: [], maxRows: 1, access: 'read' as const, timeoutMs: TIMEOUT_MS };
    const input = { ...statement, isAsPlatform, settings: OWN_NAMES };
    const { rows, truncated } = await this.runner.run({ databaseId, orgId }, input, signal);
    if (truncated) throw new DatabaseUnavailable('The description of the database is too large.');
    return rows[0]?.[0] ?? null;
  }
}
