import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { BucketAttachment } from '../attachment-rows.js';

const COLUMNS = `
  bucket_id AS "bucketId", project_id AS "projectId", prefix, access, targets, access_key_id AS "accessKeyId",
  created_at AS "createdAt"`;

@Injectable()
export class AttachmentsStore {
  constructor(private readonly database: Database) {}

  /** @throws {QueryFailedError} for a violation of `storage_attachments_prefix`. */
  async save(attachment: BucketAttachment): Promise<void> {
    const { bucketId, projectId, prefix, access, targets, accessKeyId, createdAt } = attachment;
    await this.sql(
      `INSERT INTO storage_attachments (bucket_id, project_id, prefix, access, targets, access_key_id, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (bucket_id, project_id) DO UPDATE
         SET prefix = excluded.prefix, access = excluded.access, targets = excluded.targets,
           access_key_id = excluded.access_key_id`,
      [bucketId, projectId, prefix, access, targets, accessKeyId, createdAt],
    );
  }

  async lock(bucketId: string, projectId: string): Promise<BucketAttachment | undefined> {
    const [row] = await this.sql<BucketAttachment>(
      `SELECT ${COLUMNS} FROM storage_attachments WHERE bucket_id = $1 AND project_id = $2 FOR UPDATE`,
      [bucketId, projectId],
    );
    return row;
  }

  ofBucket(bucketId: string): Promise<BucketAttachment[]> {
    return this.sql(`SELECT ${COLUMNS} FROM storage_attachments WHERE bucket_id = $1 ORDER BY project_id`, [bucketId]);
  }

  /** In the order in which they were made, so that the first of several is always the same. */
  ofProject(projectId: string): Promise<BucketAttachment[]> {
    return this.sql(`SELECT ${COLUMNS} FROM storage_attachments WHERE project_id = $1 ORDER BY created_at, bucket_id`, [
      projectId,
    ]);
  }

  async delete(bucketId: string, projectId: string): Promise<void> {
    await this.sql('DELETE FROM storage_attachments WHERE bucket_id = $1 AND project_id = $2', [bucketId, projectId]);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
