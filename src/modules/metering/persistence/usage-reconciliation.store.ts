import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Month } from '../month.js';
import { firstIdFrom } from '../recording/event-id.js';

/** A sum that differs from its events or hours. */
export interface DriftedSum {
  readonly orgId: string;
  readonly month: string;
  readonly meter: string;
  readonly model: string;
  readonly priceVersion: string;
}

/** Organizations with adjacent ids: after `after` and up to `last`, or to the end without it. */
export interface OrgWindow {
  readonly after: string;
  readonly last?: string | undefined;
}

/** Long enough for a window of very busy organizations. */
const STATEMENT_TIMEOUT_MS = 300_000;
const LOCK = 7_302_621;

@Injectable()
export class UsageReconciliationStore {
  constructor(private readonly database: Database) {}

  /** Returns false while another process reconciles. The lock lasts until the running transaction ends. */
  async tryLock(): Promise<boolean> {
    await this.database.manager.query(
      "SELECT set_config('statement_timeout', $1, true), set_config('work_mem', '64MB', true)",
      [String(STATEMENT_TIMEOUT_MS)],
    );
    const [row] = await this.database.manager.query<{ locked: boolean }[]>(
      'SELECT pg_try_advisory_xact_lock($1) AS locked',
      [LOCK],
    );
    return row!.locked;
  }

  /**
   * Returns the sums of a month that differ from their events, from their hours, or from the price of their quantity.
   * One statement sees one moment, so concurrent usage is in all of them or in none.
   */
  drifted(month: Month, { after, last }: OrgWindow): Promise<DriftedSum[]> {
    const inWindow = 'org_id > $6 AND ($7::text IS NULL OR org_id <= $7)';
    // A constraint bills events that are not late in the month of use, which their id names, so that month is not
    // calculated for each of millions of events.
    return this.database.manager.query<DriftedSum[]>(
      `
      WITH events AS (
        SELECT org_id,
          date_trunc(
            'month',
            CASE WHEN max(occurred_at) < $5 THEN min(occurred_at) ELSE max(occurred_at) END AT TIME ZONE 'UTC'
          )::date AS used_in,
          meter, model, price_version,
          sum(quantity) AS quantity, sum(cost_nano) AS cost_nano, count(*) AS events
        FROM usage_events WHERE NOT late AND id >= $2::uuid AND id < $3::uuid AND ${inWindow}
        GROUP BY org_id, meter, model, price_version
        UNION ALL
        SELECT org_id, date_trunc('month', occurred_at AT TIME ZONE 'UTC')::date AS used_in,
          meter, model, price_version,
          sum(quantity), sum(cost_nano), count(*)
        FROM usage_events WHERE late AND billed_at >= $4 AND billed_at < $5 AND ${inWindow} GROUP BY 1, 2, 3, 4, 5
      ), hours AS (
        SELECT h.usage_month_id, sum(h.quantity) AS quantity, sum(h.cost_nano) AS cost_nano, sum(h.events) AS events
        FROM usage_months m JOIN usage_hours h ON h.usage_month_id = m.id
        WHERE m.month = $1 AND ${inWindow} AND h.hour >= $4 AND h.hour < $5
        GROUP BY 1
      ), months AS (
        SELECT m.*, h.quantity AS hours_quantity, h.cost_nano AS hours_cost_nano, h.events AS hours_events
        FROM usage_months m LEFT JOIN hours h ON h.usage_month_id = m.id
        WHERE m.month = $1 AND ${inWindow} AND (m.events > 0 OR h.events > 0)
      )
      SELECT org_id AS "orgId", $1::text AS month, meter, model, price_version AS "priceVersion"
      FROM months FULL JOIN events USING (org_id, used_in, meter, model, price_version)
      WHERE (months.quantity, months.cost_nano, months.events)
          IS DISTINCT FROM (events.quantity, events.cost_nano, events.events)
        OR (months.quantity, months.cost_nano, months.events)
          IS DISTINCT FROM (hours_quantity, hours_cost_nano, hours_events)
        OR months.cost_nano IS DISTINCT FROM div(months.quantity * months.price_nano, months.priced_per)
      ORDER BY 1, 3, 4`,
      [month.name, firstIdFrom(month.start), firstIdFrom(month.end), month.start, month.end, after, last ?? null],
    );
  }
}
