import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { CONTENT_ENTRY_BYTES } from '../domain/upload-files.js';
import type { Upload, UploadStore } from './upload.js';

const STORE = 'id, org_id AS "orgId", project_id AS "projectId"';
const UPLOAD = `
  u.id, u.store_id AS "storeId", u.org_id AS "orgId", u.project_id AS "projectId", u.files,
  u.file_count AS "fileCount", u.bytes::float8 AS bytes, u.commit_sha AS "commitSha", u.created_at AS "createdAt"`;

/** Stores uploads, and what content of theirs is stored where. */
@Injectable()
export class UploadsStore {
  constructor(private readonly database: Database) {}

  /** Serializes the uploads of an organization until the running transaction ends, so that they share its storage. */
  async lock(orgId: string): Promise<void> {
    await this.sql("SELECT pg_advisory_xact_lock(hashtextextended('uploads ' || $1, 0))", [orgId]);
  }

  async currentStore(projectId: string): Promise<UploadStore | undefined> {
    const [row] = await this.sql<UploadStore>(
      `SELECT ${STORE} FROM upload_stores WHERE project_id = $1 AND retired_at IS NULL`,
      [projectId],
    );
    return row;
  }

  async addStore({ id, orgId, projectId }: UploadStore, at: Date): Promise<void> {
    await this.sql(
      'INSERT INTO upload_stores (id, org_id, project_id, created_at, used_at) VALUES ($1, $2, $3, $4, $4)',
      [id, orgId, projectId, at],
    );
  }

  /** Records an upload, whose list stays in the store as a commit for as long as the store. */
  async useStore(id: string, { listBytes, at }: { listBytes: number; at: Date }): Promise<void> {
    await this.sql('UPDATE upload_stores SET used_at = $2, list_bytes = list_bytes + $3 WHERE id = $1', [
      id,
      at,
      listBytes,
    ]);
  }

  /** New uploads get another store; what is in this one stays for a while. */
  async retireStore(id: string, at: Date): Promise<void> {
    await this.sql('UPDATE upload_stores SET retired_at = $2 WHERE id = $1 AND retired_at IS NULL', [id, at]);
  }

  /** Returns the sizes of known blobs, and whether their content is stored. */
  async blobs(storeId: string, hashes: readonly string[]): Promise<Map<string, { bytes: number; isStored: boolean }>> {
    const rows = await this.sql<{ sha256: string; bytes: number; isStored: boolean }>(
      `SELECT sha256, bytes::float8 AS bytes, object_id IS NOT NULL AS "isStored"
       FROM upload_blobs WHERE store_id = $1 AND sha256 = ANY($2)`,
      [storeId, hashes],
    );
    return new Map(rows.map(({ sha256, ...blob }) => [sha256, blob]));
  }

  /** Announces content. The size of content that never came is replaced, that of stored content is a fact. */
  async announce(storeId: string, sizes: ReadonlyMap<string, number>): Promise<void> {
    // In the order in which all calls lock rows, so that two calls with the same content cannot deadlock.
    await this.sql(
      `INSERT INTO upload_blobs (store_id, sha256, bytes)
       SELECT $1, * FROM unnest($2::text[], $3::bigint[]) AS announced (sha256, bytes) ORDER BY announced.sha256
       ON CONFLICT (store_id, sha256) DO UPDATE SET bytes = EXCLUDED.bytes WHERE upload_blobs.object_id IS NULL`,
      [storeId, [...sizes.keys()], [...sizes.values()]],
    );
  }

  async setStored(storeId: string, objects: ReadonlyMap<string, string>): Promise<void> {
    await this.sql(
      `WITH locked AS MATERIALIZED (
         SELECT sha256 FROM upload_blobs WHERE store_id = $1 AND sha256 = ANY($2::text[]) ORDER BY sha256 FOR UPDATE
       )
       UPDATE upload_blobs b SET object_id = stored.object_id
       FROM locked JOIN unnest($2::text[], $3::text[]) AS stored (sha256, object_id) USING (sha256)
       WHERE b.store_id = $1 AND b.sha256 = locked.sha256`,
      [storeId, [...objects.keys()], [...objects.values()]],
    );
  }

  /** Returns the hashes of git for stored content. */
  async objectsOf(storeId: string, hashes: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.sql<{ sha256: string; objectId: string }>(
      `SELECT sha256, object_id AS "objectId" FROM upload_blobs
       WHERE store_id = $1 AND sha256 = ANY($2) AND object_id IS NOT NULL`,
      [storeId, hashes],
    );
    return new Map(rows.map(({ sha256, objectId }) => [sha256, objectId]));
  }

  /** Returns what a store takes, announced content included. */
  bytesOfStore(storeId: string): Promise<number> {
    return this.bytesWhere('s.id = $2', storeId);
  }

  /** Returns what all stores of an organization take, announced content included. */
  bytesOfOrganization(orgId: string): Promise<number> {
    return this.bytesWhere('s.org_id = $2', orgId);
  }

  private async bytesWhere(condition: string, value: string): Promise<number> {
    const [row] = await this.sql<{ bytes: number }>(
      `SELECT coalesce(sum(s.list_bytes + content.bytes), 0)::float8 AS bytes
       FROM upload_stores s, LATERAL (
         SELECT coalesce(sum(b.bytes + $1::int), 0) AS bytes FROM upload_blobs b WHERE b.store_id = s.id
       ) content
       WHERE ${condition}`,
      [CONTENT_ENTRY_BYTES, value],
    );
    return row!.bytes;
  }

  async insert(upload: Upload, createdBy: string): Promise<void> {
    const { id, storeId, orgId, projectId, files, fileCount, bytes, createdAt } = upload;
    await this.sql(
      `INSERT INTO uploads (id, store_id, org_id, project_id, files, file_count, bytes, created_by, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [id, storeId, orgId, projectId, JSON.stringify(files), fileCount, bytes, createdBy, createdAt],
    );
  }

  /** Finds an upload of the project. */
  async find(id: string, projectId: string): Promise<Upload | undefined> {
    const [row] = await this.sql<Upload>(`SELECT ${UPLOAD} FROM uploads u WHERE u.id = $1 AND u.project_id = $2`, [
      id,
      projectId,
    ]);
    return row;
  }

  /** The list of files is not needed any more. */
  async setCommit(id: string, commitSha: string): Promise<void> {
    await this.sql('UPDATE uploads SET commit_sha = $2, files = NULL WHERE id = $1', [id, commitSha]);
  }

  /** Deletes uncommitted uploads of a project but the newest ones. */
  async deleteUncommitted(projectId: string, kept: number): Promise<void> {
    await this.sql(
      `DELETE FROM uploads WHERE id IN (
         SELECT id FROM uploads WHERE project_id = $1 AND commit_sha IS NULL ORDER BY id DESC OFFSET $2)`,
      [projectId, kept],
    );
  }

  async deleteOlderThan(time: Date): Promise<void> {
    await this.sql('DELETE FROM uploads WHERE created_at < $1', [time]);
  }

  /** Returns projects that have a store for new uploads. */
  async projectsWithStore(): Promise<string[]> {
    const rows = await this.sql<{ projectId: string }>(
      'SELECT project_id AS "projectId" FROM upload_stores WHERE retired_at IS NULL',
    );
    return rows.map(({ projectId }) => projectId);
  }

  async retireStoresOf(projectIds: readonly string[], at: Date): Promise<void> {
    await this.sql('UPDATE upload_stores SET retired_at = $2 WHERE project_id = ANY($1) AND retired_at IS NULL', [
      projectIds,
      at,
    ]);
  }

  async retireUnusedSince(time: Date, at: Date): Promise<void> {
    await this.sql('UPDATE upload_stores SET retired_at = $2 WHERE used_at < $1 AND retired_at IS NULL', [time, at]);
  }

  /** Returns stores whose directory can be removed. */
  retiredBefore(time: Date, limit: number): Promise<UploadStore[]> {
    return this.sql<UploadStore>(
      `SELECT ${STORE} FROM upload_stores WHERE retired_at < $1 ORDER BY retired_at LIMIT $2`,
      [time, limit],
    );
  }

  /** Deletes a store with its blobs and uploads. */
  async deleteStore(id: string): Promise<void> {
    await this.sql('DELETE FROM upload_stores WHERE id = $1', [id]);
  }

  private sql<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, [...values]);
  }
}
