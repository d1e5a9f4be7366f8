import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { UsageEvent } from '../usage-event.js';

/** An event that is about to be written; no two of a call have the same id. */
export interface NewUsageEvent {
  readonly id: string;
  /** Of `usage_months`, locked. */
  readonly usageMonthId: string;
  readonly event: UsageEvent;
  readonly billedAt: Date;
}

interface WrittenEvent {
  readonly id: string;
  readonly is_new: boolean;
  readonly cost_nano: string;
}

@Injectable()
export class UsageEventsStore {
  constructor(private readonly database: Database) {}

  /**
   * Writes the events that are not there yet, rates them, and adds them to the sums of their hour and of their month: in
   * one statement, so that these cannot part. Each event costs what the month then costs more. The months are locked, so
   * that nobody else adds to them, or writes one of these events, in between.
   */
  write(events: readonly NewUsageEvent[]): Promise<WrittenEvent[]> {
    return this.database.manager.query<WrittenEvent[]>(`
      WITH given AS (
        SELECT given.*, known.cost_nano AS known_cost_nano
        FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[], $7::text[], $8::text[], $9::jsonb[])
          AS given (id, usage_month_id, project_id, quantity, occurred_at, billed_at, source, source_id, properties)
          LEFT JOIN LATERAL (SELECT e.cost_nano FROM usage_events e WHERE e.id = given.id LIMIT 1) AS known ON true
      ), counted AS (
        SELECT given.*, sum(quantity) OVER (PARTITION BY usage_month_id ORDER BY id ROWS UNBOUNDED PRECEDING) AS so_far
        FROM given WHERE known_cost_nano IS NULL
      ), rated AS MATERIALIZED (
        SELECT c.*, m.org_id, m.meter, m.model, m.price_version, m.month <> m.used_in AS late,
          div((m.quantity + c.so_far) * m.price_nano, m.priced_per) - div((m.quantity + c.so_far - c.quantity) * m.price_nano, m.priced_per) AS cost_nano
        FROM counted c JOIN usage_months m ON m.id = c.usage_month_id
      ), events AS (
        INSERT INTO usage_events (id, org_id, project_id, meter, model, quantity, price_version, cost_nano, occurred_at, billed_at, late, source, source_id, properties)
        SELECT id, org_id, project_id, meter, model, quantity, price_version, cost_nano, occurred_at, billed_at, late, source, source_id, properties
        FROM rated ORDER BY id
      ), hours AS (
        INSERT INTO usage_hours AS h (usage_month_id, hour, project_id, quantity, cost_nano, events)
        SELECT usage_month_id, date_trunc('hour', billed_at, 'UTC'), coalesce(project_id, ''), sum(quantity), sum(cost_nano), count(*)
        FROM rated GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
        ON CONFLICT (usage_month_id, hour, project_id) DO UPDATE
        SET quantity = h.quantity + EXCLUDED.quantity, cost_nano = h.cost_nano + EXCLUDED.cost_nano, events = h.events + EXCLUDED.events
      ), months AS (
        UPDATE usage_months m SET quantity = m.quantity + t.quantity, cost_nano = m.cost_nano + t.cost_nano, events = m.events + t.events
        FROM (SELECT usage_month_id, sum(quantity) AS quantity, sum(cost_nano) AS cost_nano, count(*) AS events FROM rated GROUP BY 1) AS t
        WHERE m.id = t.usage_month_id
      )
      SELECT given.id, given.known_cost_nano IS NULL AS is_new, coalesce(given.known_cost_nano, rated.cost_nano) AS cost_nano
      FROM given LEFT JOIN rated ON rated.id = given.id`,
    [
      events.map(({ id }) => id), events.map(({ usageMonthId }) => usageMonthId), events.map(({ event }) => event.projectId ?? null),
      events.map(({ event }) => event.quantity.toString()), events.map(({ event }) => event.occurredAt.toISOString()), events.map(({ billedAt }) => billedAt.toISOString()),
      events.map(({ event }) => event.source), events.map(({ event }) => event.sourceId),
      events.map(({ event: { properties } }) => (properties === undefined ? null : JSON.stringify(properties))),
    ]);
  }
}
