import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../../platform/database/page.js';
import type { AccessKey } from '../access-key-rows.js';

const COLUMNS = `
  id, org_id AS "orgId", name, access, bucket_ids AS "bucketIds", sealed_secret AS secret, project_id AS "projectId",
  created_by AS "createdBy", created_key_id AS "createdKeyId", expires_at AS "expiresAt",
  last_used_at AS "lastUsedAt", created_at AS "createdAt"`;

export type LinkMaker = Pick<AccessKey, 'orgId' | 'createdBy' | 'createdKeyId'>;

export interface AccessKeyUse {
  readonly id: string;
  readonly at: Date;
}

@Injectable()
export class AccessKeysStore {
  constructor(private readonly database: Database) {}

  async insert(key: AccessKey): Promise<void> {
    await this.sql(
      `INSERT INTO storage_access_keys (id, org_id, name, access, bucket_ids, sealed_secret, project_id,
         created_by, created_key_id, expires_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        key.id,
        key.orgId,
        key.name,
        key.access,
        key.bucketIds,
        key.secret,
        key.projectId,
        key.createdBy,
        key.createdKeyId,
        key.expiresAt,
        key.createdAt,
      ],
    );
  }

  /** Finds the key that signs links for a person, or for an API key of theirs. */
  async findForLinks({ orgId, createdBy, createdKeyId }: LinkMaker): Promise<AccessKey | undefined> {
    const [row] = await this.sql<AccessKey>(
      `SELECT ${COLUMNS} FROM storage_access_keys
       WHERE for_links AND org_id = $1 AND created_by = $2 AND coalesce(created_key_id, '') = $3`,
      [orgId, createdBy, createdKeyId ?? ''],
    );
    return row;
  }

  /** Does nothing when the person, or their API key, has a key for links already. */
  async insertForLinks(key: AccessKey): Promise<void> {
    await this.sql(
      `INSERT INTO storage_access_keys (id, org_id, name, access, sealed_secret, created_by, created_key_id, created_at,
         for_links)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, true) ON CONFLICT DO NOTHING`,
      [key.id, key.orgId, key.name, key.access, key.secret, key.createdBy, key.createdKeyId, key.createdAt],
    );
  }

  async find(id: string): Promise<AccessKey | undefined> {
    const [row] = await this.sql<AccessKey>(`SELECT ${COLUMNS} FROM storage_access_keys WHERE id = $1`, [id]);
    return row;
  }

  /** Locks a key until the running transaction ends. */
  async lock(id: string): Promise<AccessKey | undefined> {
    const [row] = await this.sql<AccessKey>(`SELECT ${COLUMNS} FROM storage_access_keys WHERE id = $1 FOR UPDATE`, [
      id,
    ]);
    return row;
  }

  /** Locks a key of one of the organizations until the running transaction ends. */
  async lockIn(orgIds: readonly string[], id: string): Promise<AccessKey | undefined> {
    const [row] = await this.sql<AccessKey>(
      `SELECT ${COLUMNS} FROM storage_access_keys
       WHERE org_id = ANY($1::text[]) AND id = $2 AND NOT for_links FOR UPDATE`,
      [orgIds, id],
    );
    return row;
  }

  /** The keys of an organization, newest first. Ids are random, so that a cursor is a time and an id. */
  async list(orgId: string, page: PageRequest): Promise<Page<AccessKey>> {
    const [at, id] = page.after?.split('/') ?? [];
    const rows = await this.sql<AccessKey>(
      `SELECT ${COLUMNS} FROM storage_access_keys
       WHERE org_id = $1 AND NOT for_links AND ($2::timestamptz IS NULL OR created_at < $2 OR (created_at = $2 AND
         id > $3))
       ORDER BY created_at DESC, id LIMIT $4`,
      [orgId, at ?? null, id ?? null, page.limit + 1],
    );
    return pageOf(rows, page, (key) => `${key.createdAt.toISOString()}/${key.id}`);
  }

  async count(orgId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM storage_access_keys WHERE org_id = $1 AND project_id IS NULL AND NOT for_links',
      [orgId],
    );
    return row!.n;
  }

  async delete(id: string): Promise<void> {
    await this.sql('DELETE FROM storage_access_keys WHERE id = $1', [id]);
  }

  /** Deletes the keys of an organization and returns their ids. */
  async deleteOfOrg(orgId: string): Promise<string[]> {
    const [rows] = await this.database.manager.query<[{ id: string }[], number]>(
      'DELETE FROM storage_access_keys WHERE org_id = $1 RETURNING id',
      [orgId],
    );
    return rows.map(({ id }) => id);
  }

  async deleteExpiredBefore(at: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `DELETE FROM storage_access_keys
       WHERE id IN (SELECT id FROM storage_access_keys WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`,
      [at, limit],
    );
    return count;
  }

  async noteUses(uses: readonly AccessKeyUse[]): Promise<void> {
    await this.sql(
      `UPDATE storage_access_keys AS key SET last_used_at = used.at
       FROM unnest($1::text[], $2::timestamptz[]) AS used (id, at)
       WHERE key.id = used.id AND (key.last_used_at IS NULL OR key.last_used_at < used.at)`,
      [uses.map(({ id }) => id), uses.map(({ at }) => at)],
    );
  }

  /** Returns keys after `last`, in order, whose secret does not begin with this mark. */
  withoutMark(mark: Buffer, last: AccessKey | undefined, limit: number): Promise<AccessKey[]> {
    return this.sql<AccessKey>(
      `SELECT ${COLUMNS} FROM storage_access_keys
       WHERE substring(sealed_secret FOR octet_length($1::bytea)) <> $1 AND id > $2 ORDER BY id LIMIT $3`,
      [mark, last?.id ?? '', limit],
    );
  }

  async replaceSecret(id: string, secret: Buffer): Promise<void> {
    await this.sql('UPDATE storage_access_keys SET sealed_secret = $2 WHERE id = $1', [id, secret]);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
