import { Injectable } from '@nestjs/common';
import { arrayOfTexts } from '../../../platform/database/array-literal.js';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';

/** Identifies the sum of a month that usage counts towards, with the price that applies to it. */
export interface UsageMonthKey {
  readonly orgId: string;
  /** The month that bills it, such as `2026-11-01`. */
  readonly month: string;
  /** The month of use. It is an earlier month for adjustments. */
  readonly usedIn: string;
  readonly meter: string;
  /** Empty for meters without models. */
  readonly model: string;
  readonly priceVersion: string;
  readonly priceNano: bigint;
  readonly pricedPer: bigint;
}

interface LockedMonths {
  readonly count: number;
  /** The ids of closed rows. */
  readonly closed: readonly string[];
}

/**
 * Organizations share this many locks, which make creating a row of a month and closing the month exclude each other.
 */
const LOCKS = 64;
/** The locks of the organizations `$1`, in the order in which every transaction takes them. */
const LOCKS_OF = `
  SELECT DISTINCT (7302620 + abs(hashtext(org_id) % ${LOCKS}))::bigint AS number
  FROM unnest($1::text[]) AS given (org_id) ORDER BY 1`;

const LOCK = prepared(`
  SELECT count(*) AS count, array_agg(id::text) FILTER (WHERE closed) AS closed
  FROM (SELECT id, closed FROM usage_months WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE) AS locked`);

@Injectable()
export class UsageMonthsStore {
  constructor(private readonly database: Database) {}

  /** Creates missing rows and returns the ids of all, in the order of the keys. */
  async ids(keys: readonly UsageMonthKey[]): Promise<string[]> {
    const columns = [
      keys.map(({ orgId }) => orgId),
      keys.map(({ month }) => month),
      keys.map(({ usedIn }) => usedIn),
      keys.map(({ meter }) => meter),
      keys.map(({ model }) => model),
      keys.map(({ priceVersion }) => priceVersion),
    ];
    const given = 'unnest($1::text[], $2::date[], $3::date[], $4::text[], $5::text[], $6::text[]';
    const found = await this.find(given, columns);
    if (found.every((id) => id !== null)) return found;
    await this.database.transaction(() => this.create(keys));
    return (await this.find(given, columns)) as string[];
  }

  /**
   * Locks the rows until the running transaction ends, in one order everywhere. The count is lower than asked for if
   * some rows do not exist.
   */
  async lock(ids: readonly string[]): Promise<LockedMonths> {
    const [row] = await this.database.ask<{ count: string; closed: string[] | null }>(LOCK, [arrayOfTexts(ids)]);
    return { count: Number(row!.count), closed: row!.closed ?? [] };
  }

  /**
   * Closes the month and returns the organizations for which it was open. Waits for transactions that record usage of
   * it.
   */
  async close(orgIds: readonly string[], month: string, now: Date): Promise<string[]> {
    const { manager } = this.database;
    await manager.query(`SELECT pg_advisory_xact_lock(number) FROM (${LOCKS_OF}) AS numbers`, [orgIds]);
    const closed = await manager.query<{ org_id: string }[]>(
      `
      INSERT INTO usage_closings (org_id, month, closed_at)
      SELECT org_id, $2, $3 FROM unnest($1::text[]) AS given (org_id) ORDER BY org_id
      ON CONFLICT DO NOTHING RETURNING org_id`,
      [orgIds, month, now],
    );
    // Rows are locked in the same order as by transactions that record usage.
    await manager.query(
      `
      UPDATE usage_months m SET closed = true
      FROM (
        SELECT id FROM usage_months WHERE org_id = ANY($1) AND month = $2 AND NOT closed ORDER BY id FOR UPDATE
      ) AS open
      WHERE m.id = open.id`,
      [orgIds, month],
    );
    return closed.map(({ org_id }) => org_id);
  }

  private async find(given: string, columns: readonly unknown[][]): Promise<(string | null)[]> {
    const rows = await this.database.manager.query<{ id: string | null }[]>(
      `
      SELECT m.id FROM ${given}) WITH ORDINALITY AS given (org_id, month, used_in, meter, model, price_version, place)
        LEFT JOIN usage_months m USING (org_id, month, used_in, meter, model, price_version)
      ORDER BY place`,
      [...columns],
    );
    return rows.map(({ id }) => id);
  }

  private async create(keys: readonly UsageMonthKey[]): Promise<void> {
    const { manager } = this.database;
    await manager.query(`SELECT pg_advisory_xact_lock_shared(number) FROM (${LOCKS_OF}) AS numbers`, [
      keys.map(({ orgId }) => orgId),
    ]);
    await manager.query(
      `
      INSERT INTO usage_months (org_id, month, used_in, meter, model, price_version, price_nano, priced_per, closed)
      SELECT given.*, EXISTS (SELECT FROM usage_closings c WHERE c.org_id = given.org_id AND c.month = given.month)
      FROM unnest($1::text[], $2::date[], $3::date[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])
        AS given (org_id, month, used_in, meter, model, price_version, price_nano, priced_per)
      ORDER BY org_id, month, used_in, meter, model, price_version
      ON CONFLICT DO NOTHING`,
      [
        keys.map(({ orgId }) => orgId),
        keys.map(({ month }) => month),
        keys.map(({ usedIn }) => usedIn),
        keys.map(({ meter }) => meter),
        keys.map(({ model }) => model),
        keys.map(({ priceVersion }) => priceVersion),
        keys.map(({ priceNano }) => priceNano.toString()),
        keys.map(({ pricedPer }) => pricedPer.toString()),
      ],
    );
  }
}
