import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { prepared } from '../../../platform/database/prepared.js';
import { base32OfTime } from '../../../platform/ids/base32.js';
import { SCHEDULE_FIRE_ID } from '../schedules.ids.js';
import type { Fire } from './schedule-rows.js';

export const FIRE_COLUMNS = `
  id, schedule_id AS "scheduleId", org_id AS "orgId", due_at AS "dueAt", state, reason, run_id AS "runId",
  fired_at AS "firedAt"`;

const INSERT = prepared(`
  INSERT INTO schedule_fires (id, schedule_id, org_id, due_at, state, reason, run_id, fired_at)
  SELECT id, "scheduleId", "orgId", "dueAt", state, reason, "runId", "firedAt"
  FROM jsonb_to_recordset($1::jsonb) AS row (id text, "scheduleId" text, "orgId" text, "dueAt" timestamptz, state text,
    reason text, "runId" text, "firedAt" timestamptz)`);

const KNOWN = prepared(`
  SELECT fire.schedule_id AS "scheduleId", fire.due_at AS "dueAt"
  FROM jsonb_to_recordset($1::jsonb) AS row ("scheduleId" text, "dueAt" timestamptz)
  JOIN schedule_fires fire ON fire.schedule_id = row."scheduleId" AND fire.due_at = row."dueAt"`);

@Injectable()
export class ScheduleFiresStore {
  constructor(private readonly database: Database) {}

  /** The schedules are locked. A time that has a fire fails, so that no time has two. */
  async insert(fires: readonly Fire[]): Promise<void> {
    if (fires.length > 0) await this.sql(INSERT, [JSON.stringify(fires)]);
  }

  /** Returns those of the times that have a fire already. */
  known(times: readonly Pick<Fire, 'scheduleId' | 'dueAt'>[]): Promise<Pick<Fire, 'scheduleId' | 'dueAt'>[]> {
    const keys = times.map(({ scheduleId, dueAt }) => ({ scheduleId, dueAt }));
    return keys.length === 0 ? Promise.resolve([]) : this.sql(KNOWN, [JSON.stringify(keys)]);
  }

  /** Returns fires that wait for the end of a run. */
  buffered(ids: readonly string[]): Promise<Fire[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.sql(`SELECT ${FIRE_COLUMNS} FROM schedule_fires WHERE id = ANY($1::text[]) AND state = 'due'`, [ids]);
  }

  /** Records what became of fires that were due. */
  async settle(fires: readonly Fire[]): Promise<void> {
    if (fires.length === 0) return;
    await this.sql(
      `UPDATE schedule_fires fire SET state = row.state, reason = row.reason, run_id = row."runId",
         fired_at = row."firedAt"
       FROM jsonb_to_recordset($1::jsonb)
         AS row (id text, state text, reason text, "runId" text, "firedAt" timestamptz)
       WHERE fire.id = row.id`,
      [JSON.stringify(fires)],
    );
  }

  /** Gives up a fire that waits, if there is one. */
  async skipBuffered(id: string | null, reason: string, at: Date): Promise<void> {
    if (id === null) return;
    await this.sql(
      "UPDATE schedule_fires SET state = 'skipped', reason = $2, fired_at = $3 WHERE id = $1 AND state = 'due'",
      [id, reason, at],
    );
  }

  /** Newest first. */
  async list(scheduleId: string, page: PageRequest): Promise<Page<Fire>> {
    const rows = await this.sql<Fire>(
      `SELECT ${FIRE_COLUMNS} FROM schedule_fires
       WHERE schedule_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [scheduleId, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  /** Deletes fires that were recorded before a time, which their ids contain, and returns how many. */
  async deleteOlderThan(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `DELETE FROM schedule_fires WHERE id IN (
         SELECT id FROM schedule_fires WHERE id < $1 AND state <> 'due' ORDER BY id LIMIT $2)`,
      [`${SCHEDULE_FIRE_ID.prefix}_${base32OfTime(before.getTime())}`, limit],
    );
    return count;
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
