import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type BillingPeriod, periodOf } from '../domain/billing-period.js';

@Injectable()
export class ClosedPeriodsStore {
  constructor(private readonly database: Database) {}

  /** Returns the last period that is closed for all organizations. */
  async last(): Promise<BillingPeriod> {
    const [row] = await this.database.manager.query<{ period_from: Date }[]>(
      'SELECT max(period_from) AS period_from FROM closed_periods',
    );
    return periodOf(row!.period_from);
  }

  /** Closes a period for all organizations. */
  async add({ from }: BillingPeriod, at: Date): Promise<void> {
    await this.database.manager.query(
      'INSERT INTO closed_periods (period_from, closed_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [from, at],
    );
  }

  /** Closes a period for these organizations, with an invoice, or without one if there was nothing to bill. */
  async addOf(
    closed: readonly { readonly orgId: string; readonly invoiceId: string | null }[],
    { from }: BillingPeriod,
    at: Date,
  ): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO closed_org_periods (org_id, period_from, invoice_id, closed_at)
      SELECT org_id, $3, invoice_id, $4 FROM unnest($1::text[], $2::text[]) AS closed (org_id, invoice_id)
      ORDER BY org_id
      ON CONFLICT DO NOTHING`,
      [closed.map(({ orgId }) => orgId), closed.map(({ invoiceId }) => invoiceId), from, at],
    );
  }

  /** Returns the given organizations for which the period is closed. */
  async closedOf(orgIds: readonly string[], { from }: BillingPeriod): Promise<ReadonlySet<string>> {
    const rows = await this.database.manager.query<{ org_id: string }[]>(
      'SELECT org_id FROM closed_org_periods WHERE org_id = ANY($1) AND period_from = $2',
      [orgIds, from],
    );
    return new Set(rows.map(({ org_id }) => org_id));
  }
}
