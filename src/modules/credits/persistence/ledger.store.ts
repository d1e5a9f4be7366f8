import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { LedgerAccount } from '../ledger-account.js';
import type { LedgerEntry, LedgerTransaction } from '../ledger-transaction.js';

/** The database lets nobody change an entry, and commits no transaction whose entries do not sum to zero. */
@Injectable()
export class LedgerStore {
  constructor(private readonly database: Database) {}

  async add(transactions: readonly LedgerTransaction[]): Promise<void> {
    if (transactions.length === 0) return;
    const entries = transactions.flatMap(({ key, entries: own }) => own.map((entry, index) => ({ key, position: index + 1, ...entry })));
    await this.database.manager.query(`
      INSERT INTO ledger_transactions (key, kind, org_id, details, at)
      SELECT key, kind, org_id, details::jsonb, at FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) AS t (key, kind, org_id, details, at)`,
    [
      transactions.map(({ key }) => key), transactions.map(({ kind }) => kind), transactions.map(({ orgId }) => orgId),
      transactions.map(({ details = {} }) => JSON.stringify(details)), transactions.map(({ at }) => at),
    ]);
    await this.database.manager.query(`
      INSERT INTO ledger_entries (transaction_key, position, account, org_id, amount_nano)
      SELECT * FROM unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bigint[])`,
    [
      entries.map(({ key }) => key), entries.map(({ position }) => position), entries.map(({ account }) => account),
      entries.map(({ orgId }) => orgId), entries.map(({ amountNano }) => amountNano),
    ]);
  }

  /** False where there is a transaction of the key; then nothing is added. */
  async addUnlessThere(transaction: LedgerTransaction): Promise<boolean> {
    const { key, kind, orgId, details = {}, at } = transaction;
    const rows = await this.database.manager.query<unknown[]>(`
      WITH added AS (INSERT INTO ledger_transactions (key, kind, org_id, details, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (key) DO NOTHING RETURNING key)
      INSERT INTO ledger_entries (transaction_key, position, account, org_id, amount_nano)
      SELECT added.key, entry.* FROM added, unnest($6::smallint[], $7::text[], $8::text[], $9::bigint[]) AS entry (position, account, org_id, amount_nano)
      RETURNING position`,
    [
      key, kind, orgId, details, at,
      transaction.entries.map((_, index) => index + 1), transaction.entries.map(({ account }) => account),
      transaction.entries.map((entry) => entry.orgId), transaction.entries.map(({ amountNano }) => amountNano),
    ]);
    return rows.length > 0;
  }

  async entriesOf(key: string): Promise<LedgerEntry[]> {
    const rows = await this.database.manager.query<{ account: LedgerAccount; org_id: string | null; amount_nano: string }[]>(
      'SELECT account, org_id, amount_nano FROM ledger_entries WHERE transaction_key = $1 ORDER BY position', [key]);
    return rows.map((row) => ({ account: row.account, orgId: row.org_id, amountNano: BigInt(row.amount_nano) }));
  }

  /** The sum of the entries of an organization's account. */
  async sum(orgId: string, account: LedgerAccount): Promise<bigint> {
    const [row] = await this.database.manager.query<{ sum: string }[]>(
      'SELECT coalesce(sum(amount_nano), 0)::text AS sum FROM ledger_entries WHERE org_id = $1 AND account = $2', [orgId, account]);
    return BigInt(row!.sum);
  }
}
