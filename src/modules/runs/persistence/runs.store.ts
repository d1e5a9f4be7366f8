import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { RunBudget } from '../../agents/agent-definition.js';
import type { Run } from '../domain/run.js';
import type { RunState } from '../domain/run-state.js';
import { runOf, type RunRow } from './run-rows.js';

/** Which runs a list shows. */
export interface RunFilter {
  readonly agentId?: string | undefined;
  readonly state?: RunState | undefined;
  readonly swarmId?: string | undefined;
  readonly scheduleId?: string | undefined;
  readonly parentRunId?: string | undefined;
}

/** A run that is written for the first time. */
export type QueuedRun = Omit<
  Run,
  | 'state'
  | 'waitingFor'
  | 'waitDetail'
  | 'wakesAt'
  | 'failure'
  | 'output'
  | 'isTainted'
  | 'used'
  | 'attempt'
  | 'losses'
  | 'wakes'
  | 'startedAt'
  | 'endedAt'
>;

const ACTIVE = "state IN ('queued', 'running', 'waiting')";

/** Creates and finds runs. Workers change them by {@link RunWritesStore}. */
@Injectable()
export class RunsStore {
  constructor(private readonly database: Database) {}

  /** Adds queued runs, which workers may take at once, with their first event. */
  async addAll(runs: readonly QueuedRun[]): Promise<void> {
    if (runs.length === 0) return;
    await this.query(
      `
      WITH added AS (
        INSERT INTO runs (id, org_id, agent_id, agent_version, root_run_id, parent_run_id, depth, swarm_id,
          schedule_id, continues, trigger, user_id, key_id, state, input, cost_limit_nano, step_limit,
          active_limit_ms, tool_call_limit, budget_subjects, ready_at, last_seq, created_at)
        SELECT id, org_id, agent_id, agent_version, root_run_id, parent_run_id, depth, swarm_id, schedule_id,
          continues, trigger, user_id, key_id, 'queued', input, cost_limit_nano, step_limit, active_limit_ms,
          tool_call_limit, budget_subjects, now(), 1, created_at
        FROM jsonb_to_recordset($1) AS new (id text, org_id text, agent_id text, agent_version integer,
          root_run_id text, parent_run_id text, depth smallint, swarm_id text, schedule_id text, continues text,
          trigger text, user_id text, key_id text, input jsonb, cost_limit_nano bigint, step_limit integer,
          active_limit_ms bigint, tool_call_limit integer, budget_subjects text[], created_at timestamptz)
        RETURNING id, created_at, trigger)
      INSERT INTO run_events (run_id, seq, type, at, data)
      SELECT id, 1, 'run.queued', created_at, jsonb_build_object('trigger', trigger) FROM added`,
      [JSON.stringify(runs.map(valuesOf))],
    );
  }

  async find(orgIds: readonly string[], id: string): Promise<Run | undefined> {
    const [row] = await this.query<RunRow>('SELECT * FROM runs WHERE id = $1 AND org_id = ANY($2)', [id, orgIds]);
    return row && runOf(row);
  }

  /** Finds a run and locks it until the transaction ends. */
  async findAndLock(orgIds: readonly string[], id: string): Promise<Run | undefined> {
    const [row] = await this.query<RunRow>('SELECT * FROM runs WHERE id = $1 AND org_id = ANY($2) FOR UPDATE', [
      id,
      orgIds,
    ]);
    return row && runOf(row);
  }

  async findAll(ids: readonly string[]): Promise<Run[]> {
    return (await this.query<RunRow>('SELECT * FROM runs WHERE id = ANY($1)', [ids])).map(runOf);
  }

  /** Newest first. */
  async list(orgId: string, filter: RunFilter, { limit, after }: PageRequest): Promise<Page<Run>> {
    const rows = await this.query<RunRow>(
      `
      SELECT * FROM runs
      WHERE org_id = $1 AND ($2::text IS NULL OR agent_id = $2) AND ($3::text IS NULL OR state = $3)
        AND ($4::text IS NULL OR swarm_id = $4) AND ($5::text IS NULL OR schedule_id = $5)
        AND ($6::text IS NULL OR parent_run_id = $6) AND ($7::text IS NULL OR id < $7)
      ORDER BY id DESC LIMIT $8`,
      [
        orgId,
        filter.agentId ?? null,
        filter.state ?? null,
        filter.swarmId ?? null,
        filter.scheduleId ?? null,
        filter.parentRunId ?? null,
        after ?? null,
        limit + 1,
      ],
    );
    return pageOf(rows.map(runOf), { limit, after }, ({ id }) => id);
  }

  /** Returns the earlier runs of a conversation, oldest first, at most `limit` of them. */
  async conversationBefore(runId: string, limit: number): Promise<Run[]> {
    const rows = await this.query<RunRow & { distance: number }>(
      `
      WITH RECURSIVE earlier AS (
        SELECT continues AS id, 1 AS distance FROM runs WHERE id = $1
        UNION ALL
        SELECT runs.continues, earlier.distance + 1 FROM earlier JOIN runs ON runs.id = earlier.id
        WHERE earlier.distance < $2
      )
      SELECT runs.*, earlier.distance FROM earlier JOIN runs ON runs.id = earlier.id ORDER BY earlier.distance DESC`,
      [runId, limit],
    );
    return rows.map(runOf);
  }

  async activeCountOf(orgId: string): Promise<number> {
    const [row] = await this.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM runs WHERE org_id = $1 AND ${ACTIVE}`,
      [orgId],
    );
    return row!.count;
  }

  /** How many runs there are below the same first run. */
  async treeSizeOf(rootRunId: string): Promise<number> {
    const [row] = await this.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM runs WHERE root_run_id = $1 AND parent_run_id IS NOT NULL',
      [rootRunId],
    );
    return row!.count;
  }

  /** Returns the active runs of an agent, or of an organization. */
  async activeIdsOf(of: { readonly agentId: string } | { readonly orgId: string }, limit: number): Promise<string[]> {
    const [column, value] = 'agentId' in of ? ['agent_id', of.agentId] : ['org_id', of.orgId];
    const rows = await this.query<{ id: string }>(
      `SELECT id FROM runs WHERE ${column} = $1 AND ${ACTIVE} ORDER BY id LIMIT $2`,
      [value, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the active ones of these runs and of all runs below them, in the order of their ids. */
  async activeTreeOf(orgId: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      `
      WITH RECURSIVE tree AS (
        SELECT id, ended_at FROM runs WHERE org_id = $1 AND id = ANY($2)
        UNION
        SELECT runs.id, runs.ended_at FROM tree JOIN runs ON runs.parent_run_id = tree.id
      )
      SELECT id FROM tree WHERE ended_at IS NULL ORDER BY id`,
      [orgId, ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns runs that wait since before this time without a time at which they wake. */
  async waitingSince(before: Date, limit: number): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      `
      SELECT id FROM runs WHERE state = 'waiting' AND waiting_since < $1 ORDER BY waiting_since LIMIT $2`,
      [before, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns runs that ended before this time, by organization. */
  async endedBefore(before: Date, limit: number): Promise<{ orgId: string; ids: string[] }[]> {
    return this.query(
      `
      SELECT org_id AS "orgId", array_agg(id) AS ids
      FROM (SELECT org_id, id FROM runs WHERE ended_at < $1 ORDER BY ended_at LIMIT $2) old GROUP BY org_id`,
      [before, limit],
    );
  }

  async setBudget(id: string, { costNano, steps, activeMs, toolCalls }: RunBudget): Promise<void> {
    await this.query(
      `UPDATE runs SET cost_limit_nano = $2, step_limit = $3, active_limit_ms = $4, tool_call_limit = $5 WHERE id = $1`,
      [id, costNano, steps, activeMs, toolCalls],
    );
  }

  /** Deletes runs with their steps, calls, messages, events and approvals. */
  async delete(ids: readonly string[]): Promise<void> {
    await this.query('DELETE FROM runs WHERE id = ANY($1)', [ids]);
  }

  /** Counts the active runs by state and by what they wait for. */
  async countByState(): Promise<{ state: string; count: number }[]> {
    return this.query(
      `SELECT coalesce('waiting_' || waiting_for, state) AS state, count(*)::int AS count FROM runs
       WHERE ${ACTIVE} GROUP BY 1`,
      [],
    );
  }

  private query<T>(text: string, values: unknown[]): Promise<T[]> {
    return this.database.manager.query<T[]>(text, values);
  }
}

const valuesOf = (run: QueuedRun): Record<string, unknown> => ({
  id: run.id,
  org_id: run.orgId,
  agent_id: run.agentId,
  agent_version: run.agentVersion,
  root_run_id: run.rootRunId,
  parent_run_id: run.parentRunId,
  depth: run.depth,
  swarm_id: run.swarmId,
  schedule_id: run.scheduleId,
  continues: run.continues,
  trigger: run.trigger,
  user_id: run.userId,
  key_id: run.keyId,
  input: run.input,
  cost_limit_nano: run.budget.costNano.toString(),
  step_limit: run.budget.steps,
  active_limit_ms: run.budget.activeMs,
  tool_call_limit: run.budget.toolCalls,
  budget_subjects: run.budgetSubjects,
  created_at: run.createdAt,
});
