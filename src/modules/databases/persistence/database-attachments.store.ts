import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { Attachment, AttachmentTarget } from './attachment-rows.js';

const COLUMNS = `database_id AS "databaseId", project_id AS "projectId", prefix, targets, previews, access,
  created_by AS "createdBy", database_attachments.created_at AS "createdAt",
  database_attachments.updated_at AS "updatedAt"`;

@Injectable()
export class DatabaseAttachmentsStore {
  constructor(private readonly database: Database) {}

  /** In the order of the ids of projects. */
  async list(databaseId: string, page: PageRequest): Promise<Page<Attachment>> {
    const rows = await this.query<Attachment>(
      `SELECT ${COLUMNS} FROM database_attachments
       WHERE database_id = $1 AND ($2::text IS NULL OR project_id > $2) ORDER BY project_id LIMIT $3`,
      [databaseId, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ projectId }) => projectId);
  }

  /** Locks all attachments of a project until the running transaction ends. The caller has locked the project. */
  ofProject(projectId: string): Promise<Attachment[]> {
    return this.query(`SELECT ${COLUMNS} FROM database_attachments WHERE project_id = $1 FOR UPDATE`, [projectId]);
  }

  /** Returns the attachments that deploys of this target get, of databases that are ready, oldest first. */
  inForce(projectId: string, target: AttachmentTarget): Promise<Attachment[]> {
    return this.query(
      `SELECT database_id AS "databaseId", a.project_id AS "projectId", prefix, targets, previews, access,
         a.created_by AS "createdBy", a.created_at AS "createdAt", a.updated_at AS "updatedAt"
       FROM database_attachments a JOIN databases ON databases.id = a.database_id
       WHERE a.project_id = $1 AND $2 = ANY(a.targets) AND databases.state = 'ready'
         AND ($2 <> 'preview' OR a.previews <> 'none')
       ORDER BY a.created_at, a.database_id`,
      [projectId, target],
    );
  }

  /** Returns which of these databases production deploys get, whatever their state. */
  async inProduction(databaseIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.query<{ id: string }>(
      `SELECT DISTINCT database_id AS id FROM database_attachments
       WHERE database_id = ANY($1::text[]) AND 'production' = ANY(targets)`,
      [databaseIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async save(attachment: Attachment): Promise<void> {
    await this.query(
      `INSERT INTO database_attachments (database_id, project_id, prefix, targets, previews, access, created_by,
         created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (database_id, project_id) DO UPDATE SET prefix = excluded.prefix, targets = excluded.targets,
         previews = excluded.previews, access = excluded.access, updated_at = excluded.updated_at`,
      [
        attachment.databaseId,
        attachment.projectId,
        attachment.prefix,
        attachment.targets,
        attachment.previews,
        attachment.access,
        attachment.createdBy,
        attachment.createdAt,
        attachment.updatedAt,
      ],
    );
  }

  /** False when there was none. */
  async delete(databaseId: string, projectId: string): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      'DELETE FROM database_attachments WHERE database_id = $1 AND project_id = $2',
      [databaseId, projectId],
    );
    return count > 0;
  }

  async deleteOfProject(projectId: string): Promise<void> {
    await this.query('DELETE FROM database_attachments WHERE project_id = $1', [projectId]);
  }

  private query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
