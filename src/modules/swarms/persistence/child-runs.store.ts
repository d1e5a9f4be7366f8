import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { EndedRun } from '../../runs/new-run.js';

/** A run that another run has started with a tool call. */
export interface ChildRun {
  readonly runId: string;
  readonly callId: string;
  readonly orgId: string;
  readonly parentRunId: string;
  readonly rootRunId: string;
  /** 1 for a run below a run that no other one has started. */
  readonly depth: number;
  readonly createdAt: Date;
}

/** With how it ended. The state is null while it is active. */
export interface SeenChildRun {
  readonly runId: string;
  readonly state: EndedRun['state'] | null;
  readonly output: unknown;
  readonly isTainted: boolean;
  readonly failureCode: string | null;
}

@Injectable()
export class ChildRunsStore {
  constructor(private readonly database: Database) {}

  /** Serializes the starts below a run until the running transaction ends, so that they are counted correctly. */
  async lockRoot(rootRunId: string): Promise<void> {
    await this.sql("SELECT pg_advisory_xact_lock(hashtextextended('runs below ' || $1, 0))", [rootRunId]);
  }

  async placeOf(runId: string): Promise<Pick<ChildRun, 'rootRunId' | 'depth'> | undefined> {
    const [row] = await this.sql<Pick<ChildRun, 'rootRunId' | 'depth'>>(
      'SELECT root_run_id AS "rootRunId", depth FROM child_runs WHERE run_id = $1',
      [runId],
    );
    return row;
  }

  async countBelow(rootRunId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>('SELECT count(*)::int AS n FROM child_runs WHERE root_run_id = $1', [
      rootRunId,
    ]);
    return row!.n;
  }

  async insert({ runId, callId, orgId, parentRunId, rootRunId, depth, createdAt }: ChildRun): Promise<void> {
    await this.sql(
      `INSERT INTO child_runs (run_id, call_id, org_id, parent_run_id, root_run_id, depth, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [runId, callId, orgId, parentRunId, rootRunId, depth, createdAt],
    );
  }

  async ofCall(callId: string): Promise<SeenChildRun | undefined> {
    const [row] = await this.sql<SeenChildRun>(
      `SELECT run_id AS "runId", state, output, tainted AS "isTainted", failure_code AS "failureCode"
       FROM child_runs WHERE call_id = $1`,
      [callId],
    );
    return row;
  }

  async end({ id, state, output, isTainted, failureCode }: EndedRun, at: Date): Promise<void> {
    await this.sql(
      `UPDATE child_runs SET state = $2, output = $3, failure_code = $4, tainted = $5, ended_at = $6
       WHERE run_id = $1`,
      [id, state, JSON.stringify(output ?? null), failureCode, isTainted, at],
    );
  }

  async deleteEndedBefore(time: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `DELETE FROM child_runs
       WHERE run_id IN (SELECT run_id FROM child_runs WHERE ended_at < $1 ORDER BY ended_at LIMIT $2)`,
      [time, limit],
    );
    return count;
  }

  private sql<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, [...values]);
  }
}
