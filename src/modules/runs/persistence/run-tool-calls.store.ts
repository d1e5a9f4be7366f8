import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { canFollow, type RunToolCall, type ToolCallState, type ToolCallWait } from '../domain/tool-call-state.js';
import { toolCallOf, type ToolCallRow } from './run-rows.js';

/** What changes in a call. What is left out is emptied, besides the arguments. */
export interface ToolCallChange {
  readonly state: ToolCallState;
  readonly waitingFor?: ToolCallWait;
  readonly wakesAt?: Date;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly arguments?: Readonly<Record<string, unknown>>;
}

const OVER = ['succeeded', 'failed', 'denied', 'expired', 'outcome_unknown'];

@Injectable()
export class RunToolCallsStore {
  constructor(private readonly database: Database) {}

  async addAll(calls: readonly RunToolCall[]): Promise<void> {
    if (calls.length === 0) return;
    await this.query(
      `
      INSERT INTO run_tool_calls (id, org_id, run_id, step, place, model_call_id, tool, effect, effect_key, arguments,
        state, error_code, error_message, ended_at)
      SELECT id, org_id, run_id, step, place, model_call_id, tool, effect, effect_key, arguments, state, error_code,
        error_message, CASE WHEN state = 'failed' THEN clock_timestamp() END
      FROM jsonb_to_recordset($1) AS new (id text, org_id text, run_id text, step integer, place integer,
        model_call_id text, tool text, effect text, effect_key text, arguments jsonb, state text, error_code text,
        error_message text)`,
      [
        JSON.stringify(
          calls.map((call) => ({
            id: call.id,
            org_id: call.orgId,
            run_id: call.runId,
            step: call.step,
            place: call.place,
            model_call_id: call.modelCallId,
            tool: call.tool,
            effect: call.effect,
            effect_key: call.effectKey,
            arguments: call.arguments,
            state: call.state,
            error_code: call.error?.code ?? null,
            error_message: call.error?.message ?? null,
          })),
        ),
      ],
    );
  }

  /** Changes a call that is in one of the states, and returns it; undefined when it is in another one. */
  async change(
    id: string,
    from: readonly ToolCallState[],
    { state, waitingFor, wakesAt, output, error, arguments: input }: ToolCallChange,
  ): Promise<RunToolCall | undefined> {
    const wrong = from.find((before) => before !== state && !canFollow(before, state));
    assert(wrong === undefined, `A call cannot become ${state} after ${String(wrong)}.`);
    const [rows] = await this.database.manager.query<[ToolCallRow[], number]>(
      `
      UPDATE run_tool_calls SET state = $3, waiting_for = $4, wakes_at = $5, output = $6::jsonb, error_code = $7,
        error_message = $8, arguments = coalesce($9::jsonb, arguments),
        started_at = CASE WHEN $3 = 'executing' THEN coalesce(started_at, clock_timestamp()) ELSE started_at END,
        ended_at = CASE WHEN $10 THEN clock_timestamp() END
      WHERE id = $1 AND state = ANY($2) RETURNING *`,
      [
        id,
        from,
        state,
        waitingFor ?? null,
        wakesAt ?? null,
        output === undefined ? null : JSON.stringify(output),
        error?.code ?? null,
        error?.message ?? null,
        input === undefined ? null : JSON.stringify(input),
        OVER.includes(state) && waitingFor === undefined,
      ],
    );
    return rows[0] && toolCallOf(rows[0]);
  }

  async find(runId: string, id: string): Promise<RunToolCall | undefined> {
    const [row] = await this.query<ToolCallRow>('SELECT * FROM run_tool_calls WHERE id = $1 AND run_id = $2', [
      id,
      runId,
    ]);
    return row && toolCallOf(row);
  }

  /** The calls of steps in their order, from one step to another one. */
  async list(runId: string, { from = 0, to = 2_147_483_647 } = {}): Promise<RunToolCall[]> {
    const rows = await this.query<ToolCallRow>(
      'SELECT * FROM run_tool_calls WHERE run_id = $1 AND step BETWEEN $2 AND $3 ORDER BY step, place',
      [runId, from, to],
    );
    return rows.map(toolCallOf);
  }

  private query<T>(text: string, values: unknown[]): Promise<T[]> {
    return this.database.manager.query<T[]>(text, values);
  }
}
