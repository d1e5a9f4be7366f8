import { Injectable } from '@nestjs/common';
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

interface LockedMonth {
  readonly id: string;
  readonly closed: boolean;
}

/** The organizations share so many locks among them: to make a month's row and to close the month exclude each other. */
const LOCKS = 64;
const LOCK_OF = (orgId: string): string => `(7302620 + abs(hashtext(${orgId}) % ${LOCKS}))::bigint`;

@Injectable()
export class UsageMonthsStore {
  constructor(private readonly database: Database) {}

  /** Makes the rows that are not there yet, and tells the ids of all, in the order of the keys. */
  async ids(keys: readonly UsageMonthKey[]): Promise<string[]> {
    const columns = [
      keys.map(({ orgId }) => orgId), keys.map(({ month }) => month), keys.map(({ usedIn }) => usedIn), keys.map(({ meter }) => meter),
      keys.map(({ model }) => model), keys.map(({ priceVersion }) => priceVersion),
    ];
    const given = 'unnest($1::text[], $2::date[], $3::date[], $4::text[], $5::text[], $6::text[]';
    const found = await this.find(given, columns);
    if (found.every((id) => id !== null)) return found;
    await this.database.transaction(() => this.make(keys));
    return (await this.find(given, columns)) as string[];
  }

  /** Locks the rows until the running transaction ends, in one order for all. Fewer than asked for: some never came to be. */
  lock(ids: readonly string[]): Promise<LockedMonth[]> {
    return this.database.manager.query<LockedMonth[]>('SELECT id, closed FROM usage_months WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE', [ids]);
  }

  /** False when it was closed before. Waits for those who record usage of that month just now. */
  async close(orgId: string, month: string, now: Date): Promise<boolean> {
    const { manager } = this.database;
    await manager.query(`SELECT pg_advisory_xact_lock(${LOCK_OF('$1')})`, [orgId]);
    const closed = await manager.query<object[]>(
      'INSERT INTO usage_closings (org_id, month, closed_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING month', [orgId, month, now]);
    await manager.query('UPDATE usage_months SET closed = true WHERE org_id = $1 AND month = $2 AND NOT closed', [orgId, month]);
    return closed.length === 1;
  }

  private async find(given: string, columns: readonly unknown[][]): Promise<(string | null)[]> {
    const rows = await this.database.manager.query<{ id: string | null }[]>(`
      SELECT m.id FROM ${given}) WITH ORDINALITY AS given (org_id, month, used_in, meter, model, price_version, place)
        LEFT JOIN usage_months m USING (org_id, month, used_in, meter, model, price_version)
      ORDER BY place`, [...columns]);
    return rows.map(({ id }) => id);
  }

  private async make(keys: readonly UsageMonthKey[]): Promise<void> {
    const { manager } = this.database;
    await manager.query(`
      SELECT pg_advisory_xact_lock_shared(number) FROM (SELECT DISTINCT ${LOCK_OF('org_id')} AS number FROM unnest($1::text[]) AS given (org_id) ORDER BY 1) AS numbers`,
    [keys.map(({ orgId }) => orgId)]);
    await manager.query(`
      INSERT INTO usage_months (org_id, month, used_in, meter, model, price_version, price_nano, priced_per, closed)
      SELECT given.*, EXISTS (SELECT FROM usage_closings c WHERE c.org_id = given.org_id AND c.month = given.month)
      FROM unnest($1::text[], $2::date[], $3::date[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])
        AS given (org_id, month, used_in, meter, model, price_version, price_nano, priced_per)
      ORDER BY org_id, month, used_in, meter, model, price_version
      ON CONFLICT DO NOTHING`,
    [
      keys.map(({ orgId }) => orgId), keys.map(({ month }) => month), keys.map(({ usedIn }) => usedIn), keys.map(({ meter }) => meter),
      keys.map(({ model }) => model), keys.map(({ priceVersion }) => priceVersion),
      keys.map(({ priceNano }) => priceNano.toString()), keys.map(({ pricedPer }) => pricedPer.toString()),
    ]);
  }
}
