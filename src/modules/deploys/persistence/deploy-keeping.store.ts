import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** Names the lock under which one process at a time sweeps: a number of our own among advisory locks. */
const SWEEP_LOCK = 7_302_511;

/** What keeps a deploy's files. */
export interface KeepRules {
  /** Of each project, the newest. */
  readonly productionDeploys: number;
  readonly previewDays: number;
  /** What is younger is not looked at: it may be about to be led to. */
  readonly graceHours: number;
}

/** Which deploys still have files, and which of them have to. */
@Injectable()
export class DeployKeepingStore {
  constructor(private readonly database: Database) {}

  /** False while another process does it. Held until the running transaction ends. */
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
        "SELECT id FROM deploys WHERE project_id = $1 AND state IN ('ready', 'error', 'canceled') AND files_removed_at IS NULL ORDER BY id LIMIT $2",
        [projectId, limit],
      ),
    );
  }

  /**
   * Those whose files only hosts could keep: they are not among the last production deploys of their project, and no
   * previews of late. By id, those after `after`. Until the running transaction ends nobody else makes one of them
   * live.
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
        FROM deploys WHERE state = 'ready' AND (type = 'production' OR went_live_at IS NOT NULL) AND files_removed_at IS NULL
      )
      SELECT d.id FROM deploys d LEFT JOIN ranked r ON r.id = d.id
      WHERE d.files_removed_at IS NULL AND d.finished_at < now() - $3 * interval '1 hour' AND d.id > $5
        AND (d.state <> 'ready' OR (coalesce(r.rank > $1, true) AND (d.type = 'production' OR d.ready_at < now() - $2 * interval '1 day')))
      ORDER BY d.id LIMIT $4 FOR UPDATE OF d SKIP LOCKED`,
        [productionDeploys, previewDays, graceHours, limit, after],
      ),
    );
  }

  async markRemoved(ids: readonly string[]): Promise<void> {
    await this.database.manager.query('UPDATE deploys SET files_removed_at = now() WHERE id = ANY($1)', [ids]);
    await this.database.manager.query('DELETE FROM deploy_environments WHERE deploy_id = ANY($1)', [ids]);
  }

  /** Deploys whose files are to stay, or may be about to come: by id, those after `after`. */
  async kept(after: string, limit: number): Promise<string[]> {
    return idsOf(
      await this.database.manager.query<Row[]>(
        "SELECT id FROM deploys WHERE files_removed_at IS NULL AND state NOT IN ('skipped') AND id > $1 ORDER BY id LIMIT $2",
        [after, limit],
      ),
    );
  }

  /** Projects of which there are deploys that may have files: by id, those after `after`. */
  async projectsWithFiles(after: string, limit: number): Promise<string[]> {
    return idsOf(
      await this.database.manager.query<Row[]>(
        "SELECT DISTINCT project_id AS id FROM deploys WHERE files_removed_at IS NULL AND state IN ('ready', 'error', 'canceled') AND project_id > $1 ORDER BY project_id LIMIT $2",
        [after, limit],
      ),
    );
  }
}

interface Row {
  readonly id: string;
}

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id);
