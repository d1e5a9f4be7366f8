import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Meter } from '../meter.js';
import type { Month } from '../month.js';
import { firstIdFrom } from '../recording/event-id.js';

export interface TotalRow {
  readonly org_id: string;
  readonly meter: Meter;
  readonly model: string;
  readonly price_version: string;
  /** The month that bills it, such as `2026-11-01`. */
  readonly month: string;
  readonly used_in: string;
  readonly quantity: string;
  readonly cost_nano: string;
  readonly events: string;
}

/** Long enough for months of a hundred million events. */
const STATEMENT_TIMEOUT_MS = 300_000;

const ORDER = 'ORDER BY org_id, meter, model, used_in, price_version, month';
const MONTHS_OF_EVENTS = `to_char(billed_at AT TIME ZONE 'UTC', 'YYYY-MM-01') AS month,
  to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-01') AS used_in`;

/**
 * Sums the events of a month: those used in it, which a constraint bills in the same month, and late ones. There are
 * millions of the first, so their month is not calculated for each. If the id of one of them has another time than the
 * event, the sum as a whole gets another month, and the comparison fails.
 */
const EVENTS_OF_MONTH = `
  SELECT org_id, meter, model, price_version,
    to_char(min(billed_at) AT TIME ZONE 'UTC', 'YYYY-MM-01') AS month,
    to_char(
      CASE WHEN max(occurred_at) < $3 THEN min(occurred_at) ELSE max(occurred_at) END AT TIME ZONE 'UTC', 'YYYY-MM-01'
    ) AS used_in,
    sum(quantity) AS quantity, count(*) AS events
  FROM usage_events WHERE org_id = ANY($1) AND NOT late AND id >= $4::uuid AND id < $5::uuid
  GROUP BY org_id, meter, model, price_version
  UNION ALL
  SELECT org_id, meter, model, price_version, ${MONTHS_OF_EVENTS}, sum(quantity) AS quantity, count(*) AS events
  FROM usage_events WHERE org_id = ANY($1) AND late AND billed_at >= $2 AND billed_at < $3
  GROUP BY 1, 2, 3, 4, 5, 6`;

@Injectable()
export class UsageTotalsStore {
  constructor(private readonly database: Database) {}

  /** Sums whole hours from the roll-ups. */
  ofHours(orgIds: readonly string[], from: Date, to: Date): Promise<TotalRow[]> {
    return this.database.manager.query<TotalRow[]>(
      `
      SELECT m.org_id, m.meter, m.model, m.price_version, m.month::text, m.used_in::text,
        sum(h.quantity) AS quantity, sum(h.cost_nano) AS cost_nano, sum(h.events) AS events
      FROM usage_months m JOIN usage_hours h ON h.usage_month_id = m.id
      WHERE m.org_id = ANY($1)
        AND m.month >= date_trunc('month', $2::timestamptz, 'UTC')::date - 1 AND m.month <= $3::timestamptz
        AND h.hour >= $2 AND h.hour < $3
      GROUP BY m.id ${ORDER}`,
      [orgIds, from, to],
    );
  }

  /** Sums any time by the costs that events had when they were recorded. */
  ofEvents(orgIds: readonly string[], from: Date, to: Date): Promise<TotalRow[]> {
    return this.database.manager.query<TotalRow[]>(
      `
      SELECT org_id, meter, model, price_version, ${MONTHS_OF_EVENTS},
        sum(quantity) AS quantity, sum(cost_nano) AS cost_nano, count(*) AS events
      FROM (
        SELECT * FROM usage_events WHERE org_id = ANY($1) AND NOT late AND id >= $4::uuid AND id < $5::uuid
        UNION ALL
        SELECT * FROM usage_events WHERE org_id = ANY($1) AND late AND billed_at >= $2 AND billed_at < $3
      ) AS events
      GROUP BY 1, 2, 3, 4, 5, 6 ${ORDER}`,
      [orgIds, from, to, firstIdFrom(from), firstIdFrom(to)],
    );
  }

  /** Sums a month and prices the quantities of its events again. */
  async recomputed(
    orgIds: readonly string[],
    month: Month,
    pricedPer: (meter: Meter, usedIn: string) => bigint,
  ): Promise<TotalRow[]> {
    // The settings last until the transaction ends. With less memory the sums of half a million events would be sorted
    // on disk.
    await this.database.manager.query(
      "SELECT set_config('work_mem', '64MB', true), set_config('statement_timeout', $1, true)",
      [String(STATEMENT_TIMEOUT_MS)],
    );
    const rows = await this.database.manager.query<(TotalRow & { price_nano: string })[]>(
      `
      SELECT events.*, price_nano
      FROM (${EVENTS_OF_MONTH}) AS events JOIN price_versions p ON p.id = events.price_version
      ${ORDER.replace('meter, model', 'events.meter, events.model')}`,
      [orgIds, month.start, month.end, firstIdFrom(month.start), firstIdFrom(month.end)],
    );
    return rows.map(({ price_nano, ...row }) => ({
      ...row,
      cost_nano: ((BigInt(row.quantity) * BigInt(price_nano)) / pricedPer(row.meter, row.used_in)).toString(),
    }));
  }
}
