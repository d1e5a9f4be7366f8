import { Injectable } from '@nestjs/common';
import { arrayOfTexts } from '../../../platform/database/array-literal.js';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { BilledUsage } from '../billed-usage.js';
import type { PaidWork } from '../paid-work.js';

const FIND = prepared('SELECT key, org_id, amount_nano, begun_at FROM holds WHERE key = ANY($1)');

/** Reads holds without locking their account. */
@Injectable()
export class HoldsStore {
  constructor(private readonly database: Database) {}

  async find(keys: readonly string[]): Promise<PaidWork[]> {
    const rows = await this.database.ask<{ key: string; org_id: string; amount_nano: string; begun_at: Date }>(FIND, [
      arrayOfTexts(keys),
    ]);
    return rows.map((row) => ({
      key: row.key,
      orgId: row.org_id,
      heldNano: BigInt(row.amount_nano),
      begunAt: row.begun_at,
    }));
  }

  /** Returns open holds whose time limit has passed. */
  overdue(now: Date, limit: number): Promise<{ orgId: string; key: string }[]> {
    return this.database.manager.query(
      `SELECT org_id AS "orgId", key FROM holds WHERE state = 'held' AND expires_at <= $1 ORDER BY expires_at LIMIT $2`,
      [now, limit],
    );
  }

  /** Sums the usage of each organization. Organizations without usage are left out. */
  async usage(orgIds: readonly string[], from: Date, to: Date): Promise<ReadonlyMap<string, BilledUsage>> {
    const rows = await this.database.manager.query<
      Record<'org_id' | 'cost' | 'credit' | 'billed' | 'lost' | 'refunded', string>[]
    >(
      `
      SELECT org_id, sum(cost_nano)::text AS cost, sum(credit_nano)::text AS credit, sum(billed_nano)::text AS billed,
        sum(lost_nano)::text AS lost, sum(refunded_nano)::text AS refunded
      FROM holds
      WHERE org_id = ANY($1) AND cost_nano IS NOT NULL AND occurred_at >= $2 AND occurred_at < $3
      GROUP BY org_id`,
      [orgIds, from, to],
    );
    return new Map(
      rows.map(({ org_id: orgId, cost, credit, billed, lost, refunded }) => [
        orgId,
        {
          costNano: BigInt(cost),
          fromCreditsNano: BigInt(credit),
          billedNano: BigInt(billed),
          lostNano: BigInt(lost),
          refundedNano: BigInt(refunded),
        },
      ]),
    );
  }
}
