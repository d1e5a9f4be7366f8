import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { Cron, type CronSource } from './cron.entity.js';

@Injectable()
export class CronsStore {
  constructor(private readonly database: Database) {}

  async insert(cron: Cron): Promise<void> {
    await this.database.manager.insert(Cron, cron);
  }

  async save({ id, ...changed }: Cron): Promise<void> {
    await this.database.manager.update(Cron, { id }, changed);
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.database.manager.delete(Cron, { id: In([...ids]) });
  }

  async removeAllOf(projectId: string): Promise<void> {
    await this.database.manager.delete(Cron, { projectId });
  }

  /** Returns the crons of a project, oldest first. */
  list(projectId: string): Promise<Cron[]> {
    return this.database.manager.find(Cron, { where: { projectId }, order: { id: 'ASC' } });
  }

  find(projectId: string, id: string): Promise<Cron | null> {
    return this.database.manager.findOneBy(Cron, { projectId, id });
  }

  /** Locks a cron until the transaction ends. */
  async lock(id: string): Promise<void> {
    await this.database.manager.query('SELECT 1 FROM project_crons WHERE id = $1 FOR UPDATE', [id]);
  }

  count(projectId: string, source: CronSource): Promise<number> {
    return this.database.manager.countBy(Cron, { projectId, source });
  }

  /**
   * Returns and locks enabled crons that are due, those that have waited longest first. Of each organization there are
   * at most as many as it may have running at once, so none can keep the others waiting.
   */
  async due(at: Date, { perOrg, limit }: { perOrg: number; limit: number }): Promise<Cron[]> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      `
      WITH due AS (
        SELECT id, org_id, row_number() OVER (PARTITION BY org_id ORDER BY next_at, id) AS place
        FROM project_crons WHERE enabled AND next_at <= $1
      ), running AS (
        SELECT org_id, count(*) AS count FROM cron_runs WHERE outcome = 'running' GROUP BY org_id
      )
      SELECT cron.id FROM project_crons cron JOIN due ON due.id = cron.id
        LEFT JOIN running ON running.org_id = due.org_id
      WHERE due.place + coalesce(running.count, 0) <= $2
      ORDER BY cron.next_at, cron.id LIMIT $3 FOR UPDATE OF cron SKIP LOCKED`,
      [at, perOrg, limit],
    );
    if (rows.length === 0) return [];
    return this.database.manager.find(Cron, { where: { id: In(rows.map(({ id }) => id)) }, order: { nextAt: 'ASC' } });
  }
}
