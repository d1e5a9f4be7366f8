import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { OperationFailure } from '../operations/operation.js';
import type { DatabaseRow } from './database-rows.js';

const DATABASE_COLUMNS = `id, org_id, project_id, name, label, engine, cluster_id, host_id, parent_id, state,
  error_code, error_message, read_only_because, activity, connections, last_active_at, size_bytes, empty_bytes,
  measured_at, created_by, created_at, updated_at, deleted_at`;

export interface DatabaseFilter {
  readonly projectId?: string | undefined;
  readonly parentId?: string | undefined;
  readonly includeDeleted: boolean;
}

/** What is chosen when a database is created. The rest begins empty. */
export type NewDatabase = Pick<
  DatabaseRow,
  | 'id'
  | 'org_id'
  | 'project_id'
  | 'name'
  | 'label'
  | 'engine'
  | 'cluster_id'
  | 'host_id'
  | 'parent_id'
  | 'created_by'
  | 'created_at'
> & { readonly state: 'creating' | 'restoring' };

@Injectable()
export class DatabasesStore {
  constructor(private readonly database: Database) {}

  async insert(row: NewDatabase): Promise<DatabaseRow> {
    const [inserted] = await this.query<DatabaseRow>(
      `INSERT INTO databases (id, org_id, project_id, name, label, engine, cluster_id, host_id, parent_id, state,
         created_by, created_at, updated_at, activity, connections, size_bytes, empty_bytes)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, 'asleep', 0, 0, 0)
       RETURNING ${DATABASE_COLUMNS}`,
      [
        row.id,
        row.org_id,
        row.project_id,
        row.name,
        row.label,
        row.engine,
        row.cluster_id,
        row.host_id,
        row.parent_id,
        row.state,
        row.created_by,
        row.created_at,
      ],
    );
    return inserted!;
  }

  /** Newest first. */
  async list(orgId: string, filter: DatabaseFilter, page: PageRequest): Promise<Page<DatabaseRow>> {
    const rows = await this.query<DatabaseRow>(
      `SELECT ${DATABASE_COLUMNS} FROM databases
       WHERE org_id = $1 AND ($2::text IS NULL OR id < $2) AND ($4::text IS NULL OR project_id = $4)
         AND ($5::text IS NULL OR parent_id = $5) AND ($6 OR state <> 'deleted')
       ORDER BY id DESC LIMIT $3`,
      [
        orgId,
        page.after ?? null,
        page.limit + 1,
        filter.projectId ?? null,
        filter.parentId ?? null,
        filter.includeDeleted,
      ],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  async find(orgIds: readonly string[], id: string): Promise<DatabaseRow | undefined> {
    return this.first('org_id = ANY($1::text[]) AND id = $2', [orgIds, id]);
  }

  /** {@link find}, and locks the row until the running transaction ends. */
  async lock(orgIds: readonly string[], id: string): Promise<DatabaseRow | undefined> {
    return this.first('org_id = ANY($1::text[]) AND id = $2 FOR UPDATE', [orgIds, id]);
  }

  /** For work without a caller. */
  async findById(id: string): Promise<DatabaseRow | undefined> {
    return this.first('id = $1', [id]);
  }

  /** Finds a database that is not being deleted. */
  async findByName(orgId: string, name: string): Promise<DatabaseRow | undefined> {
    return this.first('org_id = $1 AND name = $2 AND deleted_at IS NULL', [orgId, name]);
  }

  /** Returns the database that has this data now. */
  async findByCluster(clusterId: string): Promise<DatabaseRow | undefined> {
    return this.first('cluster_id = $1', [clusterId]);
  }

  async lockById(id: string): Promise<DatabaseRow | undefined> {
    return this.first('id = $1 FOR UPDATE', [id]);
  }

  /** Counts databases that are not being deleted. */
  async count(orgId: string): Promise<number> {
    const [row] = await this.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM databases WHERE org_id = $1 AND deleted_at IS NULL',
      [orgId],
    );
    return row!.n;
  }

  async hasName(orgId: string, name: string): Promise<boolean> {
    const [row] = await this.query<{ taken: boolean }>(
      `SELECT EXISTS (SELECT FROM databases WHERE org_id = $1 AND name = $2 AND deleted_at IS NULL) AS taken`,
      [orgId, name],
    );
    return row!.taken;
  }

  async hasChildren(id: string): Promise<boolean> {
    const [row] = await this.query<{ has: boolean }>(
      'SELECT EXISTS (SELECT FROM databases WHERE parent_id = $1 AND deleted_at IS NULL) AS has',
      [id],
    );
    return row!.has;
  }

  async setFields(
    id: string,
    { name, projectId, at }: { readonly name: string; readonly projectId: string | null; readonly at: Date },
  ): Promise<DatabaseRow> {
    return this.changed('name = $2, project_id = $3, updated_at = $4', [id, name, projectId, at]);
  }

  /** What failed before is gone with it. */
  setDeleting(id: string, at: Date): Promise<DatabaseRow> {
    return this.changed(
      `state = 'deleting', deleted_at = $2, updated_at = $2, error_code = NULL, error_message = NULL`,
      [id, at],
    );
  }

  setDeleted(id: string, at: Date): Promise<DatabaseRow> {
    return this.changed(`state = 'deleted', activity = 'asleep', connections = 0, updated_at = $2`, [id, at]);
  }

  setReady(id: string, at: Date): Promise<DatabaseRow> {
    return this.changed(`state = 'ready', deleted_at = NULL, updated_at = $2`, [id, at]);
  }

  setFailed(id: string, { code, message }: OperationFailure, at: Date): Promise<DatabaseRow> {
    return this.changed(`state = 'failed', error_code = $2, error_message = $3, updated_at = $4`, [
      id,
      code,
      message,
      at,
    ]);
  }

  /**
   * Exchanges the data of two databases whose rows are locked: the cluster, its host and size, and its place among
   * branches.
   */
  async swap(one: string, other: string, at: Date): Promise<void> {
    await this.query(
      `UPDATE databases AS target SET cluster_id = source.cluster_id, host_id = source.host_id,
         size_bytes = source.size_bytes, empty_bytes = source.empty_bytes, measured_at = source.measured_at,
         read_only_because = source.read_only_because, disk_bytes = source.disk_bytes,
         undrained_bytes = source.undrained_bytes, updated_at = $3,
         parent_id = CASE source.parent_id WHEN target.id THEN source.id ELSE source.parent_id END
       FROM databases AS source
       WHERE target.id IN ($1, $2) AND source.id IN ($1, $2) AND target.id <> source.id`,
      [one, other, at],
    );
    // Branches follow the data that they were copied from.
    await this.query(
      `UPDATE databases SET parent_id = CASE parent_id WHEN $1 THEN $2 ELSE $1 END
       WHERE parent_id IN ($1, $2) AND id NOT IN ($1, $2)`,
      [one, other],
    );
  }

  /** Removes the row. Branches that were deleted before are nobody's any more. */
  async remove(id: string): Promise<void> {
    await this.query('UPDATE databases SET parent_id = NULL WHERE parent_id = $1', [id]);
    await this.query('DELETE FROM databases WHERE id = $1', [id]);
  }

  async forgetProject(projectId: string): Promise<void> {
    await this.query('UPDATE databases SET project_id = NULL WHERE project_id = $1', [projectId]);
  }

  /** Returns databases of an organization after this id that are not deleted, whatever their state. */
  async idsOf(orgId: string): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      'SELECT id FROM databases WHERE org_id = $1 AND deleted_at IS NULL ORDER BY id',
      [orgId],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the ids of databases that were deleted before this time and have no active operation. */
  async deletedBefore(time: Date, limit: number): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      `SELECT id FROM databases WHERE state = 'deleted' AND deleted_at < $1
         AND NOT EXISTS (SELECT FROM database_operations
           WHERE database_id = databases.id AND database_operations.state IN ('pending', 'running'))
       ORDER BY deleted_at LIMIT $2`,
      [time, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the ids of the deleted databases of an organization beyond the latest ones, whose deletion is over. */
  async deletedBeyond(orgId: string, latest: number): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      `SELECT id FROM (SELECT id, state FROM databases WHERE org_id = $1 AND deleted_at IS NOT NULL
         ORDER BY deleted_at DESC, id DESC OFFSET $2) AS surplus
       WHERE state = 'deleted' ORDER BY id`,
      [orgId, latest],
    );
    return rows.map(({ id }) => id);
  }

  private async first(where: string, values: unknown[]): Promise<DatabaseRow | undefined> {
    const [row] = await this.query<DatabaseRow>(`SELECT ${DATABASE_COLUMNS} FROM databases WHERE ${where}`, values);
    return row;
  }

  private async changed(set: string, values: unknown[]): Promise<DatabaseRow> {
    const [[row]] = await this.database.manager.query<[DatabaseRow[], number]>(
      `UPDATE databases SET ${set} WHERE id = $1 RETURNING ${DATABASE_COLUMNS}`,
      values,
    );
    if (row === undefined) throw new Error('The database is gone.');
    return row;
  }

  private query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
