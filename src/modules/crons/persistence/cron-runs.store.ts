import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type CronOutcome, CronRun } from './cron-run.entity.js';

/** The number of runs of a cron that are kept. */
const KEPT = 100;

/** A manual run, with what its request needs. */
export interface RequestedRun {
  readonly runId: string;
  readonly cronId: string;
  readonly projectId: string;
  readonly path: string;
}

@Injectable()
export class CronRunsStore {
  constructor(private readonly database: Database) {}

  /** Adds a run, and deletes the oldest ones of the cron. */
  async insert(run: CronRun): Promise<void> {
    await this.database.manager.insert(CronRun, run);
    await this.database.manager.query(
      `
      DELETE FROM cron_runs WHERE cron_id = $1 AND outcome <> 'running' AND id <= (
        SELECT id FROM cron_runs WHERE cron_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)`,
      [run.cronId, KEPT],
    );
  }

  /** Has no effect on a run that is already over, or whose cron was deleted. */
  async finish(id: string, end: { outcome: CronOutcome; status: number | null; at: Date }): Promise<void> {
    await this.database.manager.update(
      CronRun,
      { id, outcome: 'running' },
      { outcome: end.outcome, status: end.status, finishedAt: end.at },
    );
  }

  /** Ends the runs that began before this time, and returns their number. */
  async giveUp(startedBefore: Date, at: Date): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      "UPDATE cron_runs SET outcome = 'lost', finished_at = $2 WHERE outcome = 'running' AND started_at < $1",
      [startedBefore, at],
    );
    return count;
  }

  /** Returns the newest runs first. */
  list(cronId: string): Promise<CronRun[]> {
    return this.database.manager.find(CronRun, { where: { cronId }, order: { id: 'DESC' }, take: KEPT });
  }

  /**
   * Takes manual runs whose request is to be sent now, those that have waited longest first. Of each organization
   * there are at most as many as it may have running at once.
   */
  async takeRequested(at: Date, { perOrg, limit }: { perOrg: number; limit: number }): Promise<RequestedRun[]> {
    const [rows] = await this.database.manager.query<[RequestedRun[], number]>(
      `
      WITH waiting AS (
        SELECT id, org_id, row_number() OVER (PARTITION BY org_id ORDER BY requested_at, id) AS place
        FROM cron_runs WHERE requested_at IS NOT NULL AND outcome = 'running'
      ), sent AS (
        SELECT org_id, count(*) AS count FROM cron_runs
        WHERE outcome = 'running' AND requested_at IS NULL GROUP BY org_id
      ), taken AS (
        SELECT run.id FROM cron_runs run JOIN waiting ON waiting.id = run.id
          LEFT JOIN sent ON sent.org_id = waiting.org_id
        WHERE waiting.place + coalesce(sent.count, 0) <= $2
        ORDER BY run.requested_at, run.id LIMIT $3 FOR UPDATE OF run SKIP LOCKED
      )
      UPDATE cron_runs run SET requested_at = NULL, started_at = $1
      FROM taken, project_crons cron
      WHERE run.id = taken.id AND run.requested_at IS NOT NULL AND cron.id = run.cron_id
      RETURNING run.id AS "runId", cron.id AS "cronId", cron.project_id AS "projectId", cron.path`,
      [at, perOrg, limit],
    );
    return rows;
  }

  /** Returns those of the crons that are running. */
  async running(cronIds: readonly string[]): Promise<ReadonlySet<string>> {
    const runs = await this.database.manager.findBy(CronRun, { cronId: In([...cronIds]), outcome: 'running' });
    return new Set(runs.map(({ cronId }) => cronId));
  }
}
