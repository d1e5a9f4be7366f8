import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { FIRE_COLUMNS } from './schedule-fires.store.js';
import type { Fire, Schedule, ScheduleState, ScheduleWithLastFire } from './schedule-rows.js';

export const SCHEDULE_COLUMNS = `
  id, org_id AS "orgId", agent_id AS "agentId", name, cron, every_seconds AS "everySeconds", at,
  anchor_at AS "anchorAt", time_zone AS "timeZone", input, budget, overlap, catch_up AS "catchUp",
  catch_up_seconds AS "catchUpSeconds", jitter_seconds AS "jitterSeconds", state, paused_because AS "pausedBecause",
  next_at AS "nextAt", then_at AS "thenAt", wake_at AS "wakeAt", active_run_id AS "activeRunId",
  buffered_fire_id AS "bufferedFireId", failures_in_a_row AS "failuresInARow", created_by AS "createdBy",
  created_key_id AS "createdKeyId", created_at AS "createdAt", updated_at AS "updatedAt"`;

export interface ScheduleFilter {
  readonly agentId?: string | undefined;
  readonly state?: ScheduleState | undefined;
}

@Injectable()
export class SchedulesStore {
  constructor(private readonly database: Database) {}

  async insert(schedule: Schedule): Promise<void> {
    await this.sql(
      `INSERT INTO schedules (id, org_id, agent_id, name, cron, every_seconds, at, anchor_at, time_zone, input, budget,
         overlap, catch_up, catch_up_seconds, jitter_seconds, state, paused_because, next_at, then_at, wake_at,
         failures_in_a_row, created_by, created_key_id, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
         $23, $24, $24)`,
      [...this.valuesOf(schedule), schedule.createdBy, schedule.createdKeyId, schedule.createdAt],
    );
  }

  /** Saves what people change. The active run stays. */
  async save(schedule: Schedule): Promise<void> {
    await this.sql(
      `UPDATE schedules SET org_id = $2, agent_id = $3, name = $4, cron = $5, every_seconds = $6, at = $7,
         anchor_at = $8, time_zone = $9, input = $10, budget = $11, overlap = $12, catch_up = $13,
         catch_up_seconds = $14, jitter_seconds = $15, state = $16, paused_because = $17, next_at = $18, then_at = $19,
         wake_at = $20, failures_in_a_row = $21, buffered_fire_id = $22, updated_at = $23
       WHERE id = $1`,
      [...this.valuesOf(schedule), schedule.bufferedFireId, schedule.updatedAt],
    );
  }

  async count(orgId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>('SELECT count(*)::int AS n FROM schedules WHERE org_id = $1', [orgId]);
    return row!.n;
  }

  /** Newest first. */
  async list(
    orgId: string,
    { agentId, state }: ScheduleFilter,
    page: PageRequest,
  ): Promise<Page<ScheduleWithLastFire>> {
    const rows = await this.read(
      `org_id = $1 AND ($2::text IS NULL OR id < $2) AND ($4::text IS NULL OR agent_id = $4)
         AND ($5::text IS NULL OR state = $5)
       ORDER BY id DESC LIMIT $3`,
      [orgId, page.after ?? null, page.limit + 1, agentId ?? null, state ?? null],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  async find(orgIds: readonly string[], id: string): Promise<ScheduleWithLastFire | undefined> {
    const [row] = await this.read('org_id = ANY($1::text[]) AND id = $2', [orgIds, id]);
    return row;
  }

  /** Locks a schedule until the running transaction ends. */
  async lock(orgIds: readonly string[], id: string): Promise<Schedule | undefined> {
    const [row] = await this.sql<Schedule>(
      `SELECT ${SCHEDULE_COLUMNS} FROM schedules WHERE org_id = ANY($1::text[]) AND id = $2 FOR UPDATE`,
      [orgIds, id],
    );
    return row;
  }

  async delete(id: string): Promise<void> {
    await this.sql('DELETE FROM schedules WHERE id = $1', [id]);
  }

  async deleteOfAgent(orgId: string, agentId: string): Promise<void> {
    await this.sql('DELETE FROM schedules WHERE org_id = $1 AND agent_id = $2', [orgId, agentId]);
  }

  async deleteOfOrg(orgId: string): Promise<void> {
    await this.sql('DELETE FROM schedules WHERE org_id = $1', [orgId]);
  }

  private async read(where: string, values: unknown[]): Promise<ScheduleWithLastFire[]> {
    const rows = await this.sql<Schedule>(`SELECT ${SCHEDULE_COLUMNS} FROM schedules WHERE ${where}`, values);
    const fires = await this.sql<Fire>(
      `SELECT fire.* FROM unnest($1::text[]) AS wanted (id) CROSS JOIN LATERAL (
         SELECT ${FIRE_COLUMNS} FROM schedule_fires WHERE schedule_id = wanted.id ORDER BY id DESC LIMIT 1) AS fire`,
      [rows.map(({ id }) => id)],
    );
    const byId = new Map(fires.map((fire) => [fire.scheduleId, fire]));
    return rows.map((row) => ({ ...row, lastFire: byId.get(row.id) ?? null }));
  }

  private valuesOf(schedule: Schedule): unknown[] {
    const { name, cron, everySeconds, at, anchorAt, timeZone, input, budget, overlap, catchUp } = schedule;
    const { catchUpSeconds, jitterSeconds, state, pausedBecause, nextAt, thenAt, wakeAt, failuresInARow } = schedule;
    return [
      schedule.id,
      schedule.orgId,
      schedule.agentId,
      name,
      cron,
      everySeconds,
      at,
      anchorAt,
      timeZone,
      JSON.stringify(input),
      budget === null ? null : JSON.stringify(budget),
      overlap,
      catchUp,
      catchUpSeconds,
      jitterSeconds,
      state,
      pausedBecause,
      nextAt,
      thenAt,
      wakeAt,
      failuresInARow,
    ];
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
