import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

export interface UnpaidUsage {
  readonly orgId: string;
  /** The month that bills it, such as `2026-11-01`. */
  readonly month: string;
  readonly meter: string;
  /** Empty for meters without models. */
  readonly model: string;
  readonly costNano: bigint;
}

/** Unpaid usage. It is written with the events (`usage-events.store.ts`) and removed when it is paid for. */
@Injectable()
export class UnpaidUsageStore {
  constructor(private readonly database: Database) {}

  async organizations(after: string, limit: number): Promise<string[]> {
    const rows = await this.database.manager.query<{ org_id: string }[]>(
      'SELECT DISTINCT org_id FROM unpaid_usage WHERE org_id > $1 ORDER BY org_id LIMIT $2',
      [after, limit],
    );
    return rows.map(({ org_id: orgId }) => orgId);
  }

  /** Returns the given organizations that have unpaid usage. */
  async among(orgIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.manager.query<{ org_id: string }[]>(
      'SELECT DISTINCT org_id FROM unpaid_usage WHERE org_id = ANY($1) ORDER BY org_id',
      [orgIds],
    );
    return rows.map(({ org_id: orgId }) => orgId);
  }

  /**
   * Removes the unpaid usage of these organizations in the running transaction. Rows are locked in the same order as by
   * transactions that add to them.
   */
  async take(orgIds: readonly string[]): Promise<UnpaidUsage[]> {
    const [rows] = await this.database.manager.query<
      [Record<'org_id' | 'month' | 'meter' | 'model' | 'cost_nano', string>[], number]
    >(
      `
      WITH taken AS (
        SELECT org_id, month, meter, model FROM unpaid_usage
        WHERE org_id = ANY($1) ORDER BY org_id, month, meter, model FOR UPDATE
      )
      DELETE FROM unpaid_usage u USING taken t
      WHERE u.org_id = t.org_id AND u.month = t.month AND u.meter = t.meter AND u.model = t.model
      RETURNING u.org_id, u.month::text AS month, u.meter, u.model, u.cost_nano`,
      [orgIds],
    );
    return rows.map(({ org_id: orgId, month, meter, model, cost_nano: costNano }) => ({
      orgId,
      month,
      meter,
      model,
      costNano: BigInt(costNano),
    }));
  }
}
