import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Meter } from '../meter.js';

/** What usage can be grouped by, besides the meter. */
export const USAGE_GROUPS = ['model', 'project', 'day'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface ReportRow {
  readonly meter: Meter;
  /** Null if it was not asked for, and empty if there is none. */
  readonly model: string | null;
  readonly project_id: string | null;
  /** The UTC day, such as `2026-11-21`. */
  readonly day: string | null;
  readonly quantity: string;
  readonly cost_nano: string;
}

const COLUMNS: Readonly<Record<UsageGroup, string>> = {
  model: 'm.model',
  project: 'h.project_id',
  day: "to_char(h.hour AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
};

@Injectable()
export class UsageReportStore {
  constructor(private readonly database: Database) {}

  /** Reports whole hours, ordered by day and then by cost, the highest first. */
  rows(orgId: string, time: { from: Date; to: Date }, groups: ReadonlySet<UsageGroup>): Promise<ReportRow[]> {
    const column = (group: UsageGroup): string => (groups.has(group) ? COLUMNS[group] : 'NULL::text');
    return this.database.manager.query<ReportRow[]>(
      `
      SELECT m.meter, ${column('model')} AS model, ${column('project')} AS project_id, ${column('day')} AS day,
        sum(h.quantity) AS quantity, sum(h.cost_nano) AS cost_nano
      FROM usage_months m JOIN usage_hours h ON h.usage_month_id = m.id
      WHERE m.org_id = $1
        AND m.month >= date_trunc('month', $2::timestamptz, 'UTC')::date - 1 AND m.month <= $3::timestamptz
        AND h.hour >= $2 AND h.hour < $3
      GROUP BY 1, 2, 3, 4 ORDER BY day, sum(h.cost_nano) DESC, meter, model, project_id`,
      [orgId, time.from, time.to],
    );
  }
}
