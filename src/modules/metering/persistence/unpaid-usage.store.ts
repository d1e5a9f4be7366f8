import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

export interface UnpaidUsage {
  readonly orgId: string;
  /** It is billed in: `2026-11-01`. */
  readonly month: string;
  readonly meter: string;
  /** Empty where the meter has none. */
  readonly model: string;
  readonly costNano: bigint;
}

/** What is written with the events themselves (`usage-events.store.ts`), until it is paid for. */
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

  /** Of these organizations, those that have some. */
  async among(orgIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.manager.query<{ org_id: string }[]>(
      'SELECT DISTINCT org_id FROM unpaid_usage WHERE org_id = ANY($1) ORDER BY org_id',
      [orgIds],
    );
    return rows.map(({ org_id: orgId }) => orgId);
  }

  /**
   * Takes all of these organizations out, with the running transaction; locked in the order in which those lock them
   * who add.
   */
  async take(orgIds: readonly string[]): Promise<UnpaidUsage[]> {
    const [rows] = await this.database.manager.query<
      [Record<'org_id' | 'month' | 'meter' | 'model' | 'cost_nano', string>[], number]
    >(
      `
      WITH taken AS (SELECT org_id, month, meter, model FROM unpaid_usage WHERE org_id = ANY($1) ORDER BY org_id, month, meter, model FOR UPDATE)
      DELETE FROM unpaid_usage u USING taken t WHERE u.org_id = t.org_id AND u.month = t.month AND u.meter = t.meter AND u.model = t.model
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
