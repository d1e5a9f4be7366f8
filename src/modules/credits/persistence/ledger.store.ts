import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { LedgerAccount } from '../domain/ledger-account.js';
import type { LedgerEntry, LedgerTransaction } from '../ledger-transaction.js';

/** The database refuses changes to entries, and transactions whose entries do not sum to zero. */
@Injectable()
export class LedgerStore {
  constructor(private readonly database: Database) {}

  /** Adds the transactions whose key is new, and returns those keys. */
  async addUnlessThere(transactions: readonly LedgerTransaction[]): Promise<ReadonlySet<string>> {
    const entries = transactions.flatMap(({ key, entries: own }) =>
      own.map((entry, index) => ({ key, position: index + 1, ...entry })),
    );
    const rows = await this.database.manager.query<{ key: string }[]>(
      `
      WITH added AS (
        INSERT INTO ledger_transactions (key, kind, org_id, details, at)
        SELECT key, kind, org_id, details::jsonb, at
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
          AS t (key, kind, org_id, details, at)
        ORDER BY key
        ON CONFLICT (key) DO NOTHING RETURNING key
      ), written AS (
        INSERT INTO ledger_entries (transaction_key, position, account, org_id, amount_nano)
        SELECT entry.*
        FROM unnest($6::text[], $7::smallint[], $8::text[], $9::text[], $10::bigint[])
          AS entry (key, position, account, org_id, amount_nano)
        JOIN added USING (key)
      )
      SELECT key FROM added`,
      [
        transactions.map(({ key }) => key),
        transactions.map(({ kind }) => kind),
        transactions.map(({ orgId }) => orgId),
        transactions.map(({ details = {} }) => JSON.stringify(details)),
        transactions.map(({ at }) => at),
        entries.map(({ key }) => key),
        entries.map(({ position }) => position),
        entries.map(({ account }) => account),
        entries.map(({ orgId }) => orgId),
        entries.map(({ amountNano }) => amountNano),
      ],
    );
    return new Set(rows.map(({ key }) => key));
  }

  async entriesOf(key: string): Promise<LedgerEntry[]> {
    const rows = await this.database.manager.query<
      { account: LedgerAccount; org_id: string | null; amount_nano: string }[]
    >('SELECT account, org_id, amount_nano FROM ledger_entries WHERE transaction_key = $1 ORDER BY position', [key]);
    return rows.map((row) => ({ account: row.account, orgId: row.org_id, amountNano: BigInt(row.amount_nano) }));
  }

  /** Returns the sum of the entries of an organization's account. */
  async sum(orgId: string, account: LedgerAccount): Promise<bigint> {
    const [row] = await this.database.manager.query<{ sum: string }[]>(
      'SELECT coalesce(sum(amount_nano), 0)::text AS sum FROM ledger_entries WHERE org_id = $1 AND account = $2',
      [orgId, account],
    );
    return BigInt(row!.sum);
  }
}
