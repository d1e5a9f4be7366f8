import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { PreviewBranch } from './attachment-rows.js';

type Key = Omit<PreviewBranch, 'databaseId'>;

/** Stores which branch of a database the previews of a git branch use. */
@Injectable()
export class PreviewBranchesStore {
  constructor(private readonly database: Database) {}

  /** Records that the branch is used, and returns its database unless that is gone or failed. */
  async use({ parentId, projectId, branch }: Key, at: Date): Promise<string | undefined> {
    const [rows] = await this.database.manager.query<[{ id: string }[], number]>(
      `UPDATE database_preview_branches b SET used_at = $4 FROM databases d
       WHERE d.id = b.database_id AND d.deleted_at IS NULL AND d.state <> 'failed'
         AND b.parent_id = $1 AND b.project_id = $2 AND b.branch = $3
       RETURNING d.id`,
      [parentId, projectId, branch, at],
    );
    return rows[0]?.id;
  }

  async save({ parentId, projectId, branch, databaseId }: PreviewBranch, at: Date): Promise<void> {
    await this.database.manager.query(
      `INSERT INTO database_preview_branches (parent_id, project_id, branch, database_id, used_at)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (parent_id, project_id, branch) DO UPDATE SET database_id = excluded.database_id,
         used_at = excluded.used_at`,
      [parentId, projectId, branch, databaseId, at],
    );
  }

  /** Marks the databases as unused, so that they are deleted soon. Undefined stands for all. */
  async expire({ parentId, projectId, branch }: Partial<Key> & Pick<Key, 'projectId'>): Promise<void> {
    await this.database.manager.query(
      `UPDATE database_preview_branches SET used_at = '-infinity'
       WHERE project_id = $1 AND ($2::text IS NULL OR parent_id = $2) AND ($3::text IS NULL OR branch = $3)`,
      [projectId, parentId ?? null, branch ?? null],
    );
  }

  /** Returns databases of previews that neither a deploy asked for nor a client used since this time. */
  async unusedSince(time: Date, limit: number): Promise<string[]> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      `SELECT d.id FROM database_preview_branches b JOIN databases d ON d.id = b.database_id
       WHERE d.deleted_at IS NULL AND b.used_at < $1
         AND (b.used_at = '-infinity' OR d.last_active_at IS NULL OR d.last_active_at < $1)
         AND NOT EXISTS (SELECT FROM database_operations o
           WHERE o.database_id = d.id AND o.state IN ('pending', 'running'))
       ORDER BY b.used_at, d.id LIMIT $2`,
      [time, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** True when the running transaction could delete the database: it is still unused. */
  async isUnusedSince(id: string, time: Date): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      'SELECT FROM database_preview_branches WHERE database_id = $1 AND used_at < $2 FOR UPDATE',
      [id, time],
    );
    return rows.length > 0;
  }
}
