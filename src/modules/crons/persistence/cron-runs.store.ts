import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type CronOutcome, CronRun } from './cron-run.entity.js';

/** The number of runs of a cron that are kept. */
const KEPT = 100;

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

  /** Returns those of the crons that are running. */
  async running(cronIds: readonly string[]): Promise<ReadonlySet<string>> {
    const runs = await this.database.manager.findBy(CronRun, { cronId: In([...cronIds]), outcome: 'running' });
    return new Set(runs.map(({ cronId }) => cronId));
  }
}
