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

@Injectable()
export class UnpaidUsageStore {
  constructor(private readonly database: Database) {}

  async add(rows: readonly UnpaidUsage[]): Promise<void> {
    if (rows.length === 0) return;
    await this.database.manager.query(`
      INSERT INTO unpaid_usage AS u (org_id, month, meter, model, cost_nano)
      SELECT org_id, month, meter, model, sum(cost_nano) FROM unnest($1::text[], $2::date[], $3::text[], $4::text[], $5::numeric[]) AS given (org_id, month, meter, model, cost_nano)
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      ON CONFLICT (org_id, month, meter, model) DO UPDATE SET cost_nano = u.cost_nano + EXCLUDED.cost_nano`,
    [rows.map(({ orgId }) => orgId), rows.map(({ month }) => month), rows.map(({ meter }) => meter), rows.map(({ model }) => model), rows.map(({ costNano }) => costNano.toString())]);
  }

  async organizations(after: string, limit: number): Promise<string[]> {
    const rows = await this.database.manager.query<{ org_id: string }[]>('SELECT DISTINCT org_id FROM unpaid_usage WHERE org_id > $1 ORDER BY org_id LIMIT $2', [after, limit]);
    return rows.map(({ org_id: orgId }) => orgId);
  }

  /** Of these organizations, those that have some. */
  async among(orgIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.manager.query<{ org_id: string }[]>('SELECT DISTINCT org_id FROM unpaid_usage WHERE org_id = ANY($1) ORDER BY org_id', [orgIds]);
    return rows.map(({ org_id: orgId }) => orgId);
  }

  /** Takes all of these organizations out, with the running transaction; locked in the order in which those lock them who add. */
  async take(orgIds: readonly string[]): Promise<UnpaidUsage[]> {
    const [rows] = await this.database.manager.query<[Record<'org_id' | 'month' | 'meter' | 'model' | 'cost_nano', string>[], number]>(`
      WITH taken AS (SELECT org_id, month, meter, model FROM unpaid_usage WHERE org_id = ANY($1) ORDER BY org_id, month, meter, model FOR UPDATE)
      DELETE FROM unpaid_usage u USING taken t WHERE u.org_id = t.org_id AND u.month = t.month AND u.meter = t.meter AND u.model = t.model
      RETURNING u.org_id, u.month::text AS month, u.meter, u.model, u.cost_nano`, [orgIds]);
    return rows.map(({ org_id: orgId, month, meter, model, cost_nano: costNano }) => ({ orgId, month, meter, model, costNano: BigInt(costNano) }));
  }
}
