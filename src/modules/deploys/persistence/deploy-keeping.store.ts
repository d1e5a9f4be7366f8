import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** The advisory lock under which one process at a time sweeps. The number is arbitrary, and unique in this service. */
const SWEEP_LOCK = 7_302_511;

/** The rules that keep the files of a deploy. */
export interface KeepRules {
  /** This many of the newest production deploys of each project keep their files. */
  readonly productionDeploys: number;
  readonly previewDays: number;
  /** Deploys that ended more recently are skipped, because a host may be about to lead to them. */
  readonly graceHours: number;
}

/** Stores which deploys have files, and finds those whose files may be removed. */
@Injectable()
export class DeployKeepingStore {
  constructor(private readonly database: Database) {}

  /** False while another process has the lock. It is held until the running transaction ends. */
  async tryLock(): Promise<boolean> {
    const [row] = await this.database.manager.query<{ locked: boolean }[]>(
      'SELECT pg_try_advisory_xact_lock($1) AS locked',
      [SWEEP_LOCK],
    );
    return row!.locked;
  }

  async withFilesOf(projectId: string, limit: number): Promise<string[]> {
    return idsOf(
      await this.database.manager.query<Row[]>(
        `
        SELECT id FROM deploys
        WHERE project_id = $1 AND state IN ('ready', 'error', 'canceled') AND files_removed_at IS NULL
        ORDER BY id LIMIT $2`,
        [projectId, limit],
      ),
    );
  }

  /**
   * Deploys that no rule keeps: neither the last production deploys of their project nor recent previews. Hosts may
   * still lead to them. They are ordered by id, begin after `after`, and are locked until the running transaction ends,
   * so that none of them is made live meanwhile.
   */
  async unkept(
    { productionDeploys, previewDays, graceHours }: KeepRules,
    after: string,
    limit: number,
  ): Promise<string[]> {
    return idsOf(
      await this.database.manager.query<Row[]>(
        `
      WITH ranked AS (
        SELECT id, row_number() OVER (PARTITION BY project_id ORDER BY id DESC) AS rank
        FROM deploys
        WHERE state = 'ready' AND (type = 'production' OR went_live_at IS NOT NULL) AND files_removed_at IS NULL
      )
      SELECT d.id FROM deploys d LEFT JOIN ranked r ON r.id = d.id
      WHERE d.files_removed_at IS NULL AND d.finished_at < now() - $3 * interval '1 hour' AND d.id > $5
        AND (d.state <> 'ready' OR (coalesce(r.rank > $1, true)
          AND (d.type = 'production' OR d.ready_at < now() - $2 * interval '1 day')))
      ORDER BY d.id LIMIT $4 FOR UPDATE OF d SKIP LOCKED`,
        [productionDeploys, previewDays, graceHours, limit, after],
      ),
    );
  }

  async markRemoved(ids: readonly string[]): Promise<void> {
    await this.database.manager.query('UPDATE deploys SET files_removed_at = now() WHERE id = ANY($1)', [ids]);
    await this.database.manager.query('DELETE FROM deploy_environments WHERE deploy_id = ANY($1)', [ids]);
  }

  /** Deploys whose files stay or may still be stored, ordered by id and beginning after `after`. */
  async kept(after: string, limit: number): Promise<string[]> {
    return idsOf(
      await this.database.manager.query<Row[]>(
        `
        SELECT id FROM deploys WHERE files_removed_at IS NULL AND state NOT IN ('skipped') AND id > $1
        ORDER BY id LIMIT $2`,
        [after, limit],
      ),
    );
  }

  /** Projects with deploys that may have files, ordered by id and beginning after `after`. */
  async projectsWithFiles(after: string, limit: number): Promise<string[]> {
    return idsOf(
      await this.database.manager.query<Row[]>(
        `
        SELECT DISTINCT project_id AS id FROM deploys
        WHERE files_removed_at IS NULL AND state IN ('ready', 'error', 'canceled') AND project_id > $1
        ORDER BY project_id LIMIT $2`,
        [after, limit],
      ),
    );
  }
}

interface Row {
  readonly id: string;
}

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id);
