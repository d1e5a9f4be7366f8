import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Schedule } from './schedule-rows.js';
import { SCHEDULE_COLUMNS } from './schedules.store.js';

/** How many schedules the plan of an organization allows. */
export interface Allowance {
  readonly orgId: string;
  readonly allowed: number;
}

/** The schedules that plans count, with their places from the oldest to the newest in each organization. */
const RANKED = `
  WITH plan AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS row ("orgId" text, allowed int)),
  ranked AS (
    SELECT id, state, row_number() OVER (PARTITION BY org_id ORDER BY id) > allowed AS beyond
    FROM schedules JOIN plan ON plan."orgId" = org_id WHERE state = 'active' OR paused_because = 'plan')`;

/** Finds schedules that a change of plans pauses or resumes. */
@Injectable()
export class PlanPausesStore {
  constructor(private readonly database: Database) {}

  /** Returns ids of organizations with schedules, in their order. */
  async orgIdsAfter(last: string | undefined, limit: number): Promise<string[]> {
    const rows = await this.sql<{ orgId: string }>(
      'SELECT DISTINCT org_id AS "orgId" FROM schedules WHERE org_id > $1 ORDER BY org_id LIMIT $2',
      [last ?? '', limit],
    );
    return rows.map(({ orgId }) => orgId);
  }

  /** Returns and locks active schedules beyond what plans allow. */
  takeBeyond(allowances: readonly Allowance[], limit: number): Promise<Schedule[]> {
    return this.take("ranked.state = 'active' AND beyond", allowances, limit);
  }

  /** Returns and locks schedules that a plan paused and that fit again. */
  takeFitting(allowances: readonly Allowance[], limit: number): Promise<Schedule[]> {
    return this.take("ranked.state = 'paused' AND NOT beyond", allowances, limit);
  }

  private take(where: string, allowances: readonly Allowance[], limit: number): Promise<Schedule[]> {
    return this.sql(
      `${RANKED} SELECT ${SCHEDULE_COLUMNS} FROM schedules
       WHERE id IN (SELECT id FROM ranked WHERE ${where} ORDER BY id LIMIT $2) FOR UPDATE SKIP LOCKED`,
      [JSON.stringify(allowances), limit],
    );
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
