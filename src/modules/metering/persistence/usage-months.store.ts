import { Injectable } from '@nestjs/common';
import { arrayOfTexts } from '../../../platform/database/array-literal.js';
import { Database } from '../../../platform/database/database.js';

/** What usage is counted in, and rated with: the sum of a month. */
export interface UsageMonthKey {
  readonly orgId: string;
  /** The month that it is billed in: `2026-11-01`. */
  readonly month: string;
  /** The month that it was used in; an earlier one where that was closed when it became known. */
  readonly usedIn: string;
  readonly meter: string;
  /** Empty where the meter has none. */
  readonly model: string;
  readonly priceVersion: string;
  readonly priceNano: bigint;
  readonly pricedPer: bigint;
}

interface LockedMonths {
  readonly count: number;
  /** The ids of those that are closed. */
  readonly closed: readonly string[];
}

/**
 * The organizations share so many locks among them: to make a month's row and to close the month exclude each other.
 */
const LOCKS = 64;
/** Of the organizations `$1`, in the order in which all take them. */
const LOCKS_OF = `SELECT DISTINCT (7302620 + abs(hashtext(org_id) % ${LOCKS}))::bigint AS number FROM unnest($1::text[]) AS given (org_id) ORDER BY 1`;

@Injectable()
export class UsageMonthsStore {
  constructor(private readonly database: Database) {}

  /** Makes the rows that are not there yet, and tells the ids of all, in the order of the keys. */
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
    await this.database.transaction(() => this.make(keys));
    return (await this.find(given, columns)) as string[];
  }

  /**
   * Locks the rows until the running transaction ends, in one order for all. Fewer than asked for: some never came to
   * be.
   */
  async lock(ids: readonly string[]): Promise<LockedMonths> {
    const [row] = await this.database.manager.query<{ count: string; closed: string[] | null }[]>(
      `
      SELECT count(*) AS count, array_agg(id::text) FILTER (WHERE closed) AS closed
      FROM (SELECT id, closed FROM usage_months WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE) AS locked`,
      [arrayOfTexts(ids)],
    );
    return { count: Number(row!.count), closed: row!.closed ?? [] };
  }

  /** Those for which it was open. Waits for those who record usage of that month just now. */
  async close(orgIds: readonly string[], month: string, now: Date): Promise<string[]> {
    const { manager } = this.database;
    await manager.query(`SELECT pg_advisory_xact_lock(number) FROM (${LOCKS_OF}) AS numbers`, [orgIds]);
    const closed = await manager.query<{ org_id: string }[]>(
      `
      INSERT INTO usage_closings (org_id, month, closed_at) SELECT org_id, $2, $3 FROM unnest($1::text[]) AS given (org_id) ORDER BY org_id
      ON CONFLICT DO NOTHING RETURNING org_id`,
      [orgIds, month, now],
    );
    // Locked in the order in which those lock them who record.
    await manager.query(
      `
      UPDATE usage_months m SET closed = true
      FROM (SELECT id FROM usage_months WHERE org_id = ANY($1) AND month = $2 AND NOT closed ORDER BY id FOR UPDATE) AS open WHERE m.id = open.id`,
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

  private async make(keys: readonly UsageMonthKey[]): Promise<void> {
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
