import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { DeliveryError, DeliveryState, WebhookDelivery } from './webhook-rows.js';

const COLUMNS = `
  id, endpoint_id AS "endpointId", org_id AS "orgId", event_id AS "eventId", type, body, state, attempts,
  next_at AS "nextAt", replay_of AS "replayOf", status, error, excerpt, duration_ms AS "durationMs",
  created_at AS "createdAt", last_at AS "lastAt"`;

type NewDelivery = Pick<
  WebhookDelivery,
  'id' | 'endpointId' | 'orgId' | 'eventId' | 'type' | 'body' | 'createdAt' | 'replayOf'
>;

/** How an attempt ended. */
export interface AttemptEnd {
  readonly state: DeliveryState;
  readonly status: number | null;
  readonly error: DeliveryError | null;
  readonly excerpt: string | null;
  readonly durationMs: number;
  readonly at: Date;
  /** When to try again. */
  readonly nextAt: Date;
}

interface Claim {
  readonly now: Date;
  /** The attempt counts as lost after this time. */
  readonly until: Date;
  readonly perEndpoint: number;
  readonly perOrg: number;
  readonly limit: number;
}

@Injectable()
export class WebhookDeliveriesStore {
  constructor(private readonly database: Database) {}

  /** Adds a delivery that is due now. An event goes to an endpoint once, not counting replays. */
  async insert({ id, endpointId, orgId, eventId, type, body, createdAt, replayOf }: NewDelivery): Promise<void> {
    await this.sql(
      `INSERT INTO webhook_deliveries
         (id, endpoint_id, org_id, event_id, type, body, state, attempts, next_at, replay_of, created_at)
       SELECT $1, $2, $3, $4, $5, $6, 'pending', 0, $7, $8, $7
       WHERE EXISTS (SELECT 1 FROM webhook_endpoints WHERE id = $2)
       ON CONFLICT (endpoint_id, event_id) WHERE replay_of IS NULL DO NOTHING`,
      [id, endpointId, orgId, eventId, type, body, createdAt, replayOf],
    );
  }

  async pendingOf(endpointId: string, atMost: number): Promise<number> {
    const [row] = await this.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM (
         SELECT 1 FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'pending' LIMIT $2) AS pending`,
      [endpointId, atMost],
    );
    return row!.n;
  }

  /**
   * Takes deliveries that are due, a few of each endpoint and each organization, so that slow receivers of one do not
   * hold up those of others.
   */
  async claim({ now, until, perEndpoint, perOrg, limit }: Claim): Promise<WebhookDelivery[]> {
    const [rows] = await this.database.manager.query<[WebhookDelivery[], number]>(
      `
      WITH busy AS (
        SELECT endpoint_id, org_id, count(*)::int AS n FROM webhook_deliveries WHERE sending_until > $1 GROUP BY 1, 2),
      due AS (
        SELECT d.id, d.next_at, row_number() OVER (PARTITION BY e.org_id ORDER BY d.next_at, d.id)
          + coalesce((SELECT sum(n) FROM busy WHERE busy.org_id = e.org_id), 0) AS place
        FROM webhook_endpoints e CROSS JOIN LATERAL (
          SELECT id, next_at FROM webhook_deliveries
          WHERE endpoint_id = e.id AND state = 'pending' AND next_at <= $1 ORDER BY next_at, id
          LIMIT greatest(0, $3::int - coalesce((SELECT n FROM busy WHERE busy.endpoint_id = e.id), 0))) AS d
        WHERE e.state = 'active')
      UPDATE webhook_deliveries SET sending_until = $2, next_at = $2, attempts = attempts + 1
      WHERE id IN (SELECT id FROM due WHERE place <= $4 ORDER BY next_at, id LIMIT $5)
        AND state = 'pending' AND next_at <= $1
      RETURNING ${COLUMNS}`,
      [now, until, perEndpoint, perOrg, limit],
    );
    return rows;
  }

  /** Writes the end of an attempt, unless a later attempt has begun. */
  async finish(
    { id, attempts }: WebhookDelivery,
    { state, status, error, excerpt, durationMs, at, nextAt }: AttemptEnd,
  ): Promise<void> {
    await this.sql(
      `UPDATE webhook_deliveries SET state = $3, status = $4, error = $5, excerpt = $6, duration_ms = $7, last_at = $8,
         next_at = $9, sending_until = NULL
       WHERE id = $1 AND attempts = $2 AND state = 'pending'`,
      [id, attempts, state, status, error, excerpt, durationMs, at, nextAt],
    );
  }

  /** What waits for a paused endpoint is not sent; it can be replayed. */
  async failPending(endpointId: string): Promise<void> {
    await this.sql(
      `UPDATE webhook_deliveries SET state = 'failed', error = coalesce(error, 'endpoint_paused'), sending_until = NULL
       WHERE endpoint_id = $1 AND state = 'pending'`,
      [endpointId],
    );
  }

  /** Newest first. */
  async list(endpointId: string, page: PageRequest): Promise<Page<WebhookDelivery>> {
    const rows = await this.sql<WebhookDelivery>(
      `SELECT ${COLUMNS} FROM webhook_deliveries
       WHERE endpoint_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [endpointId, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  async find(endpointId: string, id: string): Promise<WebhookDelivery | undefined> {
    const [row] = await this.sql<WebhookDelivery>(
      `SELECT ${COLUMNS} FROM webhook_deliveries WHERE endpoint_id = $1 AND id = $2`,
      [endpointId, id],
    );
    return row;
  }

  /** Deletes up to `limit` deliveries that are older, and returns their number. */
  async deleteOlderThan(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `DELETE FROM webhook_deliveries
       WHERE id IN (SELECT id FROM webhook_deliveries WHERE created_at < $1 ORDER BY created_at LIMIT $2)`,
      [before, limit],
    );
    return count;
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
