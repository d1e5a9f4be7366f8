import { Injectable } from '@nestjs/common';
import { arrayOfNumbers, arrayOfTexts, arrayOfTimes } from '../../../platform/database/array-literal.js';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { UsageEvent } from '../usage-event.js';

/** An event to write. No two events of a call have the same id. */
export interface NewUsageEvent {
  readonly id: string;
  /** The id of a locked row of `usage_months`. */
  readonly usageMonthId: string;
  readonly event: UsageEvent;
  readonly billedAt: Date;
}

interface WrittenEvent {
  /** For an event that is not new, this is its cost when it was first written. */
  readonly costNano: bigint;
  readonly isNew: boolean;
}

/** Marks the cost of an event that existed before. */
const KNOWN = '=';

const WRITE = prepared(`
  WITH given AS MATERIALIZED (
    SELECT given.*, known.cost_nano AS known_cost_nano
    FROM unnest(
      $1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[],
      $7::text[], $8::text[], $9::jsonb[])
      WITH ORDINALITY AS given (id, usage_month_id, project_id, quantity, occurred_at, billed_at,
        source, source_id, properties, place)
      LEFT JOIN LATERAL (SELECT e.cost_nano FROM usage_events e WHERE e.id = given.id LIMIT 1) AS known ON true
  ), counted AS (
    SELECT given.*, sum(quantity) OVER (PARTITION BY usage_month_id ORDER BY id ROWS UNBOUNDED PRECEDING) AS so_far
    FROM given WHERE known_cost_nano IS NULL
  ), rated AS MATERIALIZED (
    SELECT c.*, m.org_id, m.month, m.meter, m.model, m.price_version, m.month <> m.used_in AS late,
      div((m.quantity + c.so_far) * m.price_nano, m.priced_per)
        - div((m.quantity + c.so_far - c.quantity) * m.price_nano, m.priced_per) AS cost_nano
    FROM counted c JOIN usage_months m ON m.id = c.usage_month_id
  ), events AS (
    INSERT INTO usage_events (id, org_id, project_id, meter, model, quantity, price_version, cost_nano,
      occurred_at, billed_at, late, source, source_id, properties)
    SELECT id, org_id, project_id, meter, model, quantity, price_version, cost_nano,
      occurred_at, billed_at, late, source, source_id, properties
    FROM rated ORDER BY id
  ), hours AS (
    INSERT INTO usage_hours AS h (usage_month_id, hour, project_id, quantity, cost_nano, events)
    SELECT usage_month_id, date_trunc('hour', billed_at, 'UTC'), coalesce(project_id, ''),
      sum(quantity), sum(cost_nano), count(*)
    FROM rated GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (usage_month_id, hour, project_id) DO UPDATE
    SET quantity = h.quantity + EXCLUDED.quantity, cost_nano = h.cost_nano + EXCLUDED.cost_nano,
      events = h.events + EXCLUDED.events
  ), months AS (
    UPDATE usage_months m
    SET quantity = m.quantity + t.quantity, cost_nano = m.cost_nano + t.cost_nano, events = m.events + t.events
    FROM (
      SELECT usage_month_id, sum(quantity) AS quantity, sum(cost_nano) AS cost_nano, count(*) AS events
      FROM rated GROUP BY 1
    ) AS t
    WHERE m.id = t.usage_month_id
  ), unpaid AS (
    INSERT INTO unpaid_usage AS u (org_id, month, meter, model, cost_nano)
    SELECT org_id, month, meter, model, sum(cost_nano)
    FROM rated WHERE NOT $10::boolean GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (org_id, month, meter, model) DO UPDATE SET cost_nano = u.cost_nano + EXCLUDED.cost_nano
  )
  SELECT string_agg(
    coalesce('${KNOWN}' || given.known_cost_nano, rated.cost_nano::text), ',' ORDER BY place
  ) AS costs
  FROM given LEFT JOIN rated USING (place)`);

@Injectable()
export class UsageEventsStore {
  constructor(private readonly database: Database) {}

  /**
   * Writes new events, prices them, and adds them to the sums of their hour and month, and to the unpaid usage unless
   * they are paid for. All of that is one statement, so that the sums always agree. An event costs what it adds to the
   * cost of its month. The months are locked, so that no other transaction adds to them or writes one of these events
   * meanwhile.
   *
   * @returns the result for each event, in order.
   */
  async write(events: readonly NewUsageEvent[], { isPaid }: { isPaid: boolean }): Promise<WrittenEvent[]> {
    const [row] = await this.database.ask<{ costs: string }>(WRITE, [
      arrayOfTexts(events.map(({ id }) => id)),
      arrayOfTexts(events.map(({ usageMonthId }) => usageMonthId)),
      arrayOfTexts(events.map(({ event }) => event.projectId ?? null)),
      arrayOfNumbers(events.map(({ event }) => event.quantity)),
      arrayOfTimes(events.map(({ event }) => event.occurredAt)),
      arrayOfTimes(events.map(({ billedAt }) => billedAt)),
      arrayOfTexts(events.map(({ event }) => event.source)),
      arrayOfTexts(events.map(({ event }) => event.sourceId)),
      arrayOfTexts(
        events.map(({ event: { properties } }) => (properties === undefined ? null : JSON.stringify(properties))),
      ),
      isPaid,
    ]);
    return row!.costs
      .split(',')
      .map((cost) =>
        cost.startsWith(KNOWN)
          ? { costNano: BigInt(cost.slice(KNOWN.length)), isNew: false }
          : { costNano: BigInt(cost), isNew: true },
      );
  }
}
