import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { NewRunEvent } from '../domain/run-events.js';
import type { RunFailure } from '../domain/run.js';
import { RunLost } from '../domain/run-lost.js';
import type { RunState, RunWait } from '../domain/run-state.js';

/** What changes in a run. What is left out stays. */
export interface RunChange {
  readonly state?: RunState;
  readonly waitingFor?: RunWait;
  readonly waitDetail?: Readonly<Record<string, unknown>>;
  /** When a waiting run wakes by itself. */
  readonly wakesAt?: Date | null;
  /** The count of wakes before the last look: if there was one since, a run that waits is ready at once. */
  readonly seenWakes?: number;
  readonly output?: unknown;
  readonly failure?: RunFailure;
  readonly isTainted?: true;
  readonly addedSteps?: number;
  readonly addedActiveMs?: number;
  readonly addedToolCalls?: number;
  /** True when the run has got further, so that lost workers are counted from here. */
  readonly hasProgress?: true;
}

const OVER = ['succeeded', 'failed', 'cancelled', 'timed_out'];

/** Changes runs with their events. A worker writes only while its attempt is the present one. */
@Injectable()
export class RunWritesStore {
  constructor(private readonly database: Database) {}

  /**
   * Changes a run that this worker has, in the running transaction.
   *
   * @throws {RunLost} when another worker has it, or it is over.
   */
  async write(
    { id, attempt }: { readonly id: string; readonly attempt: number },
    change: RunChange,
    events: readonly NewRunEvent[],
  ): Promise<void> {
    if (!(await this.change({ id, attempt }, change, events))) throw new RunLost();
  }

  /** Changes a run that is not over, in any worker. False when it is over. */
  async override(id: string, change: RunChange, events: readonly NewRunEvent[]): Promise<boolean> {
    return this.change({ id, attempt: null }, change, events);
  }

  /** Adds events to a run in any state. */
  async addEvents(id: string, events: readonly NewRunEvent[]): Promise<void> {
    await this.database.manager.query(
      `
      WITH changed AS (UPDATE runs SET last_seq = last_seq + $2 WHERE id = $1 RETURNING last_seq)
      INSERT INTO run_events (run_id, seq, type, at, data)
      SELECT $1, last_seq - $2 + place, type, clock_timestamp(), data FROM changed,
        ROWS FROM (jsonb_to_recordset($3) AS (type text, data jsonb)) WITH ORDINALITY AS new (type, data, place)`,
      [id, events.length, JSON.stringify(events)],
    );
  }

  /** One statement: the change under its condition, and the events that follow from it. */
  private async change(
    { id, attempt }: { readonly id: string; readonly attempt: number | null },
    change: RunChange,
    events: readonly NewRunEvent[],
  ): Promise<boolean> {
    const isOver = change.state !== undefined && OVER.includes(change.state);
    const [row] = await this.database.manager.query<{ count: number }[]>(
      `
      WITH changed AS (
        UPDATE runs SET
          state = coalesce($3, state),
          waiting_for = CASE WHEN $3 IS NULL THEN waiting_for ELSE $4 END,
          wait_detail = CASE WHEN $3 IS NULL THEN wait_detail ELSE $5::jsonb END,
          ready_at = CASE WHEN $3 IS NULL OR $3 = 'running' THEN ready_at
            WHEN $3 = 'waiting' AND wakes > $18 THEN now()
            ELSE $6::timestamptz END,
          waiting_since = CASE WHEN $3 = 'waiting' THEN clock_timestamp() END,
          worker_id = CASE WHEN $3 IS NULL OR $3 = 'running' THEN worker_id END,
          output = coalesce($7::jsonb, output),
          failure_code = $8, failure_message = $9,
          tainted = tainted OR $10,
          steps = steps + $11, active_ms = active_ms + $12, tool_calls = tool_calls + $13,
          losses = CASE WHEN $14 THEN 0 ELSE losses END,
          attempt = attempt + CASE WHEN $2::int IS NULL THEN 1 ELSE 0 END,
          ended_at = CASE WHEN $15 THEN clock_timestamp() END,
          last_seq = last_seq + $16
        WHERE id = $1 AND ended_at IS NULL AND ($2::int IS NULL OR (attempt = $2 AND state = 'running'))
        RETURNING last_seq),
      added AS (
        INSERT INTO run_events (run_id, seq, type, at, data)
        SELECT $1, last_seq - $16 + place, type, clock_timestamp(), data FROM changed,
          ROWS FROM (jsonb_to_recordset($17) AS (type text, data jsonb)) WITH ORDINALITY AS new (type, data, place))
      SELECT count(*)::int AS count FROM changed`,
      [
        id,
        attempt,
        change.state ?? null,
        change.waitingFor ?? null,
        change.waitDetail === undefined ? null : JSON.stringify(change.waitDetail),
        change.wakesAt ?? null,
        change.output === undefined ? null : JSON.stringify(change.output),
        change.failure?.code ?? null,
        change.failure?.message ?? null,
        change.isTainted === true,
        change.addedSteps ?? 0,
        Math.round(change.addedActiveMs ?? 0),
        change.addedToolCalls ?? 0,
        change.hasProgress === true,
        isOver,
        events.length,
        JSON.stringify(events),
        change.seenWakes ?? 2_147_483_647,
      ],
    );
    return row!.count === 1;
  }
}
