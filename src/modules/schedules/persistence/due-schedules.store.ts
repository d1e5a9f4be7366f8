import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { EndedRun } from '../../runs/new-run.js';
import type { FiredSchedule, Schedule } from './schedule-rows.js';
import { SCHEDULE_COLUMNS } from './schedules.store.js';

/** A schedule whose run has ended. */
export interface RunEnd {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly failuresInARow: number;
  readonly bufferedFireId: string | null;
  /** True when this end paused it. */
  readonly isPaused: boolean;
}

const DUE = prepared(`
  SELECT ${SCHEDULE_COLUMNS} FROM schedules WHERE wake_at <= $1 ORDER BY wake_at, id LIMIT $2
  FOR UPDATE SKIP LOCKED`);

const SAVE = prepared(`
  UPDATE schedules SET state = row.state, paused_because = row."pausedBecause", next_at = row."nextAt",
    then_at = row."thenAt", wake_at = row."wakeAt", active_run_id = row."activeRunId",
    buffered_fire_id = row."bufferedFireId", failures_in_a_row = row."failuresInARow"
  FROM jsonb_to_recordset($1::jsonb) AS row (id text, state text, "pausedBecause" text, "nextAt" timestamptz,
    "thenAt" timestamptz, "wakeAt" timestamptz, "activeRunId" text, "bufferedFireId" text, "failuresInARow" int)
  WHERE schedules.id = row.id`);

/** What firing reads and writes, in bulk. */
@Injectable()
export class DueSchedulesStore {
  constructor(private readonly database: Database) {}

  /** Returns and locks schedules with something to do, those that have waited longest first. */
  take(now: Date, limit: number): Promise<Schedule[]> {
    return this.sql(DUE, [now, limit]);
  }

  /** {@link take} for one of them. It returns none when another process has it, or it is no longer due. */
  takeOne(now: Date, id: string): Promise<Schedule[]> {
    return this.sql(
      `SELECT ${SCHEDULE_COLUMNS} FROM schedules WHERE id = $2 AND wake_at <= $1 FOR UPDATE SKIP LOCKED`,
      [now, id],
    );
  }

  async dueIds(now: Date, limit: number): Promise<string[]> {
    const rows = await this.sql<{ id: string }>(
      'SELECT id FROM schedules WHERE wake_at <= $1 ORDER BY wake_at, id LIMIT $2',
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  async save(schedules: readonly FiredSchedule[]): Promise<void> {
    if (schedules.length > 0) await this.sql(SAVE, [JSON.stringify(schedules)]);
  }

  /** Returns and locks schedules whose time after the next one is not computed yet. */
  takeWithoutThen(limit: number): Promise<Schedule[]> {
    return this.sql(
      `SELECT ${SCHEDULE_COLUMNS} FROM schedules
       WHERE next_at IS NOT NULL AND then_at IS NULL AND at IS NULL LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [limit],
    );
  }

  async saveThen(times: readonly Pick<Schedule, 'id' | 'thenAt'>[]): Promise<void> {
    await this.sql(
      `UPDATE schedules SET then_at = row."thenAt"
       FROM jsonb_to_recordset($1::jsonb) AS row (id text, "thenAt" timestamptz) WHERE schedules.id = row.id`,
      [JSON.stringify(times)],
    );
  }

  /**
   * Records in one statement that a run of a schedule has ended: it is no longer the active one, and a failure counts.
   * A buffered fire wakes the schedule. Undefined when the schedule was deleted.
   */
  async endRun({ id, orgId, scheduleId, state }: EndedRun, pausedFrom: number, now: Date): Promise<RunEnd | undefined> {
    const [rows] = await this.database.manager.query<[RunEnd[], number]>(
      `WITH before AS (
         SELECT id, state, active_run_id = $3 AS "wasActive",
           CASE WHEN $4 = 'succeeded' THEN 0 WHEN $4 = 'cancelled' THEN failures_in_a_row
             ELSE failures_in_a_row + 1 END AS failures
         FROM schedules WHERE id = $1 AND org_id = $2 FOR UPDATE
       ), after AS (
         SELECT *, state = 'active' AND $4 IN ('failed', 'timed_out') AND failures >= $5 AS pauses FROM before
       )
       UPDATE schedules SET failures_in_a_row = after.failures,
         active_run_id = CASE WHEN after."wasActive" THEN NULL ELSE active_run_id END,
         state = CASE WHEN after.pauses THEN 'paused' ELSE schedules.state END,
         paused_because = CASE WHEN after.pauses THEN 'failures' ELSE paused_because END,
         next_at = CASE WHEN after.pauses THEN NULL ELSE next_at END,
         then_at = CASE WHEN after.pauses THEN NULL ELSE then_at END,
         wake_at = CASE WHEN after.pauses THEN NULL
           WHEN after."wasActive" AND buffered_fire_id IS NOT NULL THEN least(wake_at, $6) ELSE wake_at END
       FROM after WHERE schedules.id = after.id
       RETURNING schedules.id, org_id AS "orgId", name, failures AS "failuresInARow",
         buffered_fire_id AS "bufferedFireId", pauses AS "isPaused"`,
      [scheduleId, orgId, id, state, pausedFrom, now],
    );
    return rows[0];
  }

  async forgetBuffered(id: string): Promise<void> {
    await this.sql('UPDATE schedules SET buffered_fire_id = NULL WHERE id = $1', [id]);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
