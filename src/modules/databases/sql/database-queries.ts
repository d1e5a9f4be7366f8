import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { DatabaseDirectory } from '../domain/database-directory.js';
import { type QueryInput, QueryRunner } from './query-runner.js';
import type { StatementResult } from './statement-run.js';

export interface QueryResult extends StatementResult {
  readonly durationMs: number;
}

/** How a caller waits for a statement. */
export interface QueryConditions {
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal;
  readonly isDryRun?: boolean;
}

/** Runs statements of callers on their databases. */
@Injectable()
export class DatabaseQueries {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly runner: QueryRunner,
  ) {}

  /**
   * Runs one statement. A dry run only checks whether the caller may.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws as {@link QueryRunner.run}.
   */
  async run(
    call: Call,
    id: string,
    input: QueryInput,
    { signal, isDryRun = false }: QueryConditions = {},
  ): Promise<QueryResult> {
    const scope = input.access === 'read' ? 'databases:read' : 'databases:write';
    const database = await this.directory.get(call, id, scope);
    const begin = performance.now();
    if (isDryRun) return { columns: [], rows: [], rowCount: 0, truncated: false, command: null, durationMs: 0 };
    const result = await this.runner.run({ databaseId: database.id, orgId: database.org_id }, input, signal);
    return { ...result, durationMs: Math.round(performance.now() - begin) };
  }
}
