import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { SsoConnection } from '../connections/sso-connection.js';
import { type ConnectionRow, connectionOf, valuesOf } from './connection-rows.js';

const FACTS = `
  id, org_id, name, type, status, paused_reason, issuer, client_id, client_secret, idp_entity_id, idp_sso_url,
  idp_metadata_url, idp_certificates, certificates_end, metadata_read_at, metadata_problem, sp_key, sp_certificate,
  mapping, default_role, group_roles, jit, tested_at, activated_at, last_used_at, created_at, updated_at`;

/** What was sent of an ending certificate, for those that end before a time. */
interface EndingWanted {
  readonly before: Date;
  /** The notice of so many days. */
  readonly days: number;
  readonly limit: number;
}

@Injectable()
export class SsoConnectionsStore {
  constructor(private readonly database: Database) {}

  async insert(connection: SsoConnection): Promise<void> {
    const values = valuesOf(connection);
    const places = values.map((_, index) => `$${index + 1}`).join(', ');
    await this.sql(`INSERT INTO sso_connections (${FACTS}) VALUES (${places})`, values);
  }

  /** Writes all but the last use. A notice of ending certificates is sent again for other certificates. */
  async save(connection: SsoConnection): Promise<void> {
    const [id, , ...values] = valuesOf(connection);
    await this.sql(
      `UPDATE sso_connections SET name = $2, type = $3, status = $4, paused_reason = $5, issuer = $6, client_id = $7,
         client_secret = $8, idp_entity_id = $9, idp_sso_url = $10, idp_metadata_url = $11, idp_certificates = $12,
         expiry_notice = CASE WHEN certificates_end = $13 THEN expiry_notice END,
         certificates_end = $13, metadata_read_at = $14, metadata_problem = $15, sp_key = $16, sp_certificate = $17,
         mapping = $18, default_role = $19, group_roles = $20, jit = $21, tested_at = $22, activated_at = $23,
         updated_at = $24
       WHERE id = $1`,
      [id, ...values.slice(0, -3), values.at(-1)],
    );
  }

  async find(id: string): Promise<SsoConnection | undefined> {
    return this.one('WHERE id = $1', [id]);
  }

  async findOf(orgId: string, id: string): Promise<SsoConnection | undefined> {
    return this.one('WHERE org_id = $1 AND id = $2', [orgId, id]);
  }

  /** {@link findOf}, and locks the connection until the running transaction ends. The organization comes first. */
  async lock(orgId: string, id: string): Promise<SsoConnection | undefined> {
    return this.one('WHERE org_id = $1 AND id = $2 FOR UPDATE', [orgId, id]);
  }

  /** Returns the active connection that was activated last. */
  async findActive(orgId: string): Promise<SsoConnection | undefined> {
    return this.one(`WHERE org_id = $1 AND status = 'active' ORDER BY activated_at DESC, id DESC LIMIT 1`, [orgId]);
  }

  /** Newest first. */
  async list(orgId: string, page: PageRequest): Promise<Page<SsoConnection>> {
    const found = await this.many('WHERE org_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3', [
      orgId,
      page.after ?? null,
      page.limit + 1,
    ]);
    return pageOf(found, page, ({ id }) => id);
  }

  /** {@link list} for all, by id, with locks until the running transaction ends. */
  lockAll(orgId: string): Promise<SsoConnection[]> {
    return this.many('WHERE org_id = $1 ORDER BY id FOR UPDATE', [orgId]);
  }

  async activeIds(orgId: string): Promise<string[]> {
    const rows = await this.sql<{ id: string }>(
      `SELECT id FROM sso_connections WHERE org_id = $1 AND status = 'active' ORDER BY id`,
      [orgId],
    );
    return rows.map(({ id }) => id);
  }

  async count(orgId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>('SELECT count(*)::int AS n FROM sso_connections WHERE org_id = $1', [
      orgId,
    ]);
    return row!.n;
  }

  async delete(id: string): Promise<void> {
    await this.sql('DELETE FROM sso_connections WHERE id = $1', [id]);
  }

  async used(id: string, at: Date): Promise<void> {
    await this.sql('UPDATE sso_connections SET last_used_at = $2 WHERE id = $1', [id, at]);
  }

  /** Connections whose metadata were last read before a time, the longest ones first. */
  metadataDue(before: Date, limit: number): Promise<SsoConnection[]> {
    return this.many(
      `WHERE idp_metadata_url IS NOT NULL AND metadata_read_at < $1 ORDER BY metadata_read_at, id LIMIT $2`,
      [before, limit],
    );
  }

  /** Active connections whose last certificate ends, with no such notice or a later one. */
  ending({ before, days, limit }: EndingWanted): Promise<SsoConnection[]> {
    return this.many(
      `WHERE status = 'active' AND certificates_end <= $1 AND (expiry_notice IS NULL OR expiry_notice > $2)
       ORDER BY id LIMIT $3`,
      [before, days, limit],
    );
  }

  async noticed(id: string, days: number): Promise<void> {
    await this.sql('UPDATE sso_connections SET expiry_notice = $2 WHERE id = $1', [id, days]);
  }

  /** Returns when the first active connection is left without a certificate, or undefined when there is none. */
  async firstEnd(): Promise<Date | undefined> {
    const [row] = await this.sql<{ end: Date | null }>(
      `SELECT min(certificates_end) AS end FROM sso_connections WHERE status = 'active'`,
      [],
    );
    return row?.end ?? undefined;
  }

  /** Connections after `last` with a secret that does not begin with the mark. */
  withoutMark(mark: Buffer, last: string | undefined, limit: number): Promise<SsoConnection[]> {
    return this.many(
      `WHERE id > $2 AND substr(coalesce(client_secret, sp_key), 1, length($1::bytea)) <> $1 ORDER BY id LIMIT $3`,
      [mark, last ?? '', limit],
    );
  }

  /** Replaces a secret by itself, encrypted again, unless it has changed meanwhile. */
  async saveResealed(id: string, before: Buffer, after: Buffer): Promise<void> {
    await this.sql('UPDATE sso_connections SET client_secret = $3 WHERE id = $1 AND client_secret = $2', [
      id,
      before,
      after,
    ]);
    await this.sql('UPDATE sso_connections SET sp_key = $3 WHERE id = $1 AND sp_key = $2', [id, before, after]);
  }

  private async one(rest: string, values: unknown[]): Promise<SsoConnection | undefined> {
    return (await this.many(rest, values))[0];
  }

  private async many(rest: string, values: unknown[]): Promise<SsoConnection[]> {
    const rows = await this.sql<ConnectionRow>(`SELECT ${FACTS} FROM sso_connections ${rest}`, values);
    return rows.map(connectionOf);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
