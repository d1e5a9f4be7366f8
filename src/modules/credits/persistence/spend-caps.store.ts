import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

@Injectable()
export class SpendCapsStore {
  constructor(private readonly database: Database) {}

  async find(orgId: string, month: string): Promise<{ capNano: bigint | null; billedNano: bigint }> {
    const [row] = await this.database.manager.query<{ cap: string | null; billed: string }[]>(
      `
      SELECT (SELECT cap_nano::text FROM spend_caps WHERE org_id = $1) AS cap,
        coalesce(
          (SELECT posted_nano + held_nano FROM billed_months WHERE org_id = $1 AND month = $2), 0
        )::text AS billed`,
      [orgId, month],
    );
    return { capNano: row!.cap === null ? null : BigInt(row!.cap), billedNano: BigInt(row!.billed) };
  }

  async set(orgId: string, capNano: bigint | null, at: Date): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO spend_caps (org_id, cap_nano, updated_at) VALUES ($1, $2, $3)
      ON CONFLICT (org_id) DO UPDATE SET cap_nano = excluded.cap_nano, updated_at = excluded.updated_at`,
      [orgId, capNano, at],
    );
  }

  /** Returns the amounts of a warning, or undefined when there is none. */
  async warning(
    orgId: string,
    month: string,
    level: number,
  ): Promise<{ billedNano: bigint; capNano: bigint } | undefined> {
    const [row] = await this.database.manager.query<{ billed_nano: string; cap_nano: string }[]>(
      'SELECT billed_nano, cap_nano FROM spend_warnings WHERE org_id = $1 AND month = $2 AND level = $3',
      [orgId, month, level],
    );
    return row && { billedNano: BigInt(row.billed_nano), capNano: BigInt(row.cap_nano) };
  }
}
