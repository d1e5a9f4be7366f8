import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { PauseReason, WebhookEndpoint } from './webhook-rows.js';

const COLUMNS = `
  id, org_id AS "orgId", url, description, types, state, pause_reason AS "pauseReason", secret,
  previous_secret AS "previousSecret", previous_until AS "previousUntil", failing_since AS "failingSince",
  created_by AS "createdBy", created_at AS "createdAt", updated_at AS "updatedAt"`;

@Injectable()
export class WebhookEndpointsStore {
  constructor(private readonly database: Database) {}

  async insert(endpoint: WebhookEndpoint): Promise<void> {
    const { id, orgId, url, description, types, secret, createdBy, createdAt } = endpoint;
    await this.sql(
      `INSERT INTO webhook_endpoints
         (id, org_id, url, description, types, state, secret, created_by, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, 'active', $6, $7, $8, $8)`,
      [id, orgId, url, description, types, secret, createdBy, createdAt],
    );
  }

  async count(orgId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>('SELECT count(*)::int AS n FROM webhook_endpoints WHERE org_id = $1', [
      orgId,
    ]);
    return row!.n;
  }

  /** Newest first. */
  async list(orgId: string, page: PageRequest): Promise<Page<WebhookEndpoint>> {
    const rows = await this.sql<WebhookEndpoint>(
      `SELECT ${COLUMNS} FROM webhook_endpoints
       WHERE org_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [orgId, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  async find(orgId: string, id: string): Promise<WebhookEndpoint | undefined> {
    const [row] = await this.sql<WebhookEndpoint>(
      `SELECT ${COLUMNS} FROM webhook_endpoints WHERE org_id = $1 AND id = $2`,
      [orgId, id],
    );
    return row;
  }

  /** {@link find}, and locks the endpoint until the running transaction ends. */
  async lock(orgId: string, id: string): Promise<WebhookEndpoint | undefined> {
    const [row] = await this.sql<WebhookEndpoint>(
      `SELECT ${COLUMNS} FROM webhook_endpoints WHERE org_id = $1 AND id = $2 FOR UPDATE`,
      [orgId, id],
    );
    return row;
  }

  /** The active endpoints that want events of this type. */
  wanting(orgId: string, type: string): Promise<WebhookEndpoint[]> {
    return this.sql<WebhookEndpoint>(
      `SELECT ${COLUMNS} FROM webhook_endpoints
       WHERE org_id = $1 AND state = 'active' AND (types = '{}' OR $2 = ANY(types))`,
      [orgId, type],
    );
  }

  /** The active endpoints that name this type. Those that want all types are not among them. */
  naming(orgId: string, type: string): Promise<WebhookEndpoint[]> {
    return this.sql<WebhookEndpoint>(
      `SELECT ${COLUMNS} FROM webhook_endpoints WHERE org_id = $1 AND state = 'active' AND $2 = ANY(types)`,
      [orgId, type],
    );
  }

  async save({ id, url, description, types, state, pauseReason, updatedAt }: WebhookEndpoint): Promise<void> {
    await this.sql(
      `UPDATE webhook_endpoints SET url = $2, description = $3, types = $4, state = $5, pause_reason = $6,
         failing_since = CASE WHEN $5 = 'active' AND state = 'paused' THEN NULL ELSE failing_since END,
         updated_at = $7
       WHERE id = $1`,
      [id, url, description, types, state, pauseReason, updatedAt],
    );
  }

  async saveSecrets({ id, secret, previousSecret, previousUntil, updatedAt }: WebhookEndpoint): Promise<void> {
    await this.sql(
      `UPDATE webhook_endpoints SET secret = $2, previous_secret = $3, previous_until = $4, updated_at = $5
       WHERE id = $1`,
      [id, secret, previousSecret, previousUntil, updatedAt],
    );
  }

  async succeeded(id: string): Promise<void> {
    await this.sql('UPDATE webhook_endpoints SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL', [
      id,
    ]);
  }

  async failed(id: string, now: Date): Promise<void> {
    await this.sql('UPDATE webhook_endpoints SET failing_since = $2 WHERE id = $1 AND failing_since IS NULL', [
      id,
      now,
    ]);
  }

  /** Returns true when the endpoint was active. */
  async pause(id: string, reason: PauseReason, now: Date): Promise<boolean> {
    const rows = await this.sql(
      `UPDATE webhook_endpoints SET state = 'paused', pause_reason = $2, updated_at = $3
       WHERE id = $1 AND state = 'active' RETURNING id`,
      [id, reason, now],
    );
    return (rows as unknown as [unknown[]])[0].length === 1;
  }

  async delete(id: string): Promise<void> {
    await this.sql('DELETE FROM webhook_endpoints WHERE id = $1', [id]);
  }

  async deleteOf(orgId: string): Promise<void> {
    await this.sql('DELETE FROM webhook_endpoints WHERE org_id = $1', [orgId]);
  }

  /** Endpoints after `last` with a secret that does not begin with the mark. */
  withoutMark(mark: Buffer, last: string | undefined, limit: number): Promise<WebhookEndpoint[]> {
    return this.sql<WebhookEndpoint>(
      `SELECT ${COLUMNS} FROM webhook_endpoints
       WHERE id > $2 AND (substr(secret, 1, length($1::bytea)) <> $1
         OR substr(previous_secret, 1, length($1::bytea)) <> $1)
       ORDER BY id LIMIT $3`,
      [mark, last ?? '', limit],
    );
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
