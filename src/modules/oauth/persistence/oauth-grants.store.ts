import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';

export type GrantEndReason = 'ended' | 'idle' | 'reuse' | 'client' | 'key' | 'organization';

/** What a person granted to a client. */
export interface OauthGrant {
  readonly id: string;
  readonly userId: string;
  readonly homeOrgId: string;
  readonly keyId: string;
  readonly way: 'metadata' | 'registration';
  readonly clientId: string;
  readonly clientName: string;
  readonly clientHost: string | null;
  readonly redirectHost: string;
  readonly scopes: readonly string[];
  /** What the client asked for and did not get. */
  readonly refused: readonly string[];
  readonly createdAt: Date;
  /** When tokens were last issued. */
  readonly usedAt: Date;
  readonly expiresAt: Date;
  readonly endedAt: Date | null;
  readonly endReason: GrantEndReason | null;
}

const COLUMNS = `
  id, user_id AS "userId", home_org_id AS "homeOrgId", key_id AS "keyId", way, client_id AS "clientId",
  client_name AS "clientName", client_host AS "clientHost", redirect_host AS "redirectHost", scopes, refused,
  created_at AS "createdAt", used_at AS "usedAt", expires_at AS "expiresAt", ended_at AS "endedAt",
  end_reason AS "endReason"`;

@Injectable()
export class OauthGrantsStore {
  constructor(private readonly database: Database) {}

  async insert(grant: Omit<OauthGrant, 'usedAt' | 'endedAt' | 'endReason'>): Promise<void> {
    await this.sql(
      `
      INSERT INTO oauth_grants (id, user_id, home_org_id, key_id, way, client_id, client_name, client_host,
        redirect_host, scopes, refused, created_at, used_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13)`,
      [
        grant.id,
        grant.userId,
        grant.homeOrgId,
        grant.keyId,
        grant.way,
        grant.clientId,
        grant.clientName,
        grant.clientHost,
        grant.redirectHost,
        grant.scopes,
        grant.refused,
        grant.createdAt,
        grant.expiresAt,
      ],
    );
  }

  async find(id: string): Promise<OauthGrant | undefined> {
    const [row] = await this.sql<OauthGrant>(`SELECT ${COLUMNS} FROM oauth_grants WHERE id = $1`, [id]);
    return row;
  }

  /** {@link find}, and locks the grant until the running transaction ends. */
  async lock(id: string): Promise<OauthGrant | undefined> {
    const [row] = await this.sql<OauthGrant>(`SELECT ${COLUMNS} FROM oauth_grants WHERE id = $1 FOR UPDATE`, [id]);
    return row;
  }

  async listOf(userId: string, page: PageRequest): Promise<Page<OauthGrant>> {
    const rows = await this.sql<OauthGrant>(
      `
      SELECT ${COLUMNS} FROM oauth_grants
      WHERE user_id = $1 AND ended_at IS NULL AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [userId, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  /** Returns those grants of the keys that have not ended, by key. */
  async ofKeys(keyIds: readonly string[]): Promise<ReadonlyMap<string, OauthGrant>> {
    const rows = await this.sql<OauthGrant>(
      `SELECT ${COLUMNS} FROM oauth_grants WHERE key_id = ANY($1) AND ended_at IS NULL`,
      [keyIds],
    );
    return new Map(rows.map((grant) => [grant.keyId, grant]));
  }

  /** Notes the home organization of the key, which has changed. */
  async setHome(id: string, homeOrgId: string): Promise<void> {
    await this.sql('UPDATE oauth_grants SET home_org_id = $2 WHERE id = $1', [id, homeOrgId]);
  }

  async prolong(id: string, now: Date, expiresAt: Date): Promise<void> {
    await this.sql('UPDATE oauth_grants SET used_at = $2, expires_at = $3 WHERE id = $1 AND ended_at IS NULL', [
      id,
      now,
      expiresAt,
    ]);
  }

  async end(id: string, now: Date, reason: GrantEndReason): Promise<void> {
    await this.sql('UPDATE oauth_grants SET ended_at = $2, end_reason = $3 WHERE id = $1 AND ended_at IS NULL', [
      id,
      now,
      reason,
    ]);
  }

  /** Returns the ids of grants that have not been used for too long. */
  async idle(now: Date, limit: number): Promise<string[]> {
    const rows = await this.sql<{ id: string }>(
      'SELECT id FROM oauth_grants WHERE ended_at IS NULL AND expires_at <= $1 ORDER BY expires_at LIMIT $2',
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Deletes up to `limit` grants that ended before a time, and returns how many. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM oauth_grants WHERE id IN (
        SELECT id FROM oauth_grants WHERE ended_at < $1 ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
