import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import type { LedgerAccount } from './domain/ledger-account.js';
import type { LedgerEntry, LedgerTransaction } from './ledger-transaction.js';
import { LedgerStore } from './persistence/ledger.store.js';

/** The ledger of the service. It is append-only, and every transaction sums to zero. */
@Injectable()
export class LedgerService {
  constructor(private readonly ledger: LedgerStore) {}

  /**
   * Writes a transaction once for its key, in the running database transaction if there is one. Only grants and paid
   * work may touch `credits`, so that the account always agrees with its entries.
   *
   * @returns false when the key already has the same entries.
   * @throws {AssertionError} when the entries do not sum to zero, or differ from the entries that the key has.
   */
  async post(transaction: LedgerTransaction): Promise<boolean> {
    return (await this.postAll([transaction])).size === 1;
  }

  /** Does the same as {@link post} for each transaction and returns the keys that are new. */
  async postAll(transactions: readonly LedgerTransaction[]): Promise<ReadonlySet<string>> {
    for (const { key, entries } of transactions) {
      assert(
        entries.length >= 2 && entries.every(({ amountNano }) => amountNano !== 0n),
        `The ledger transaction ${key} has fewer than two entries, or an entry of zero.`,
      );
      assert(
        entries.reduce((sum, { amountNano }) => sum + amountNano, 0n) === 0n,
        `The entries of the ledger transaction ${key} do not sum to zero.`,
      );
      assert(
        entries.every(({ account }) => account !== 'credits'),
        `The ledger transaction ${key} touches credits.`,
      );
    }
    if (transactions.length === 0) return new Set();
    const added = await this.ledger.addUnlessThere(transactions);
    for (const { key, entries } of transactions.filter((transaction) => !added.has(transaction.key))) {
      assert.deepEqual(
        shown(await this.ledger.entriesOf(key)),
        shown(entries),
        `The ledger transaction ${key} already has other entries.`,
      );
    }
    return added;
  }

  /** Returns what has been posted to an organization's account. It is positive when debits outweigh credits. */
  sum(orgId: string, account: LedgerAccount): Promise<bigint> {
    return this.ledger.sum(orgId, account);
  }
}

const shown = (entries: readonly LedgerEntry[]): string[] =>
  entries.map(({ account, orgId, amountNano }) => `${account} ${String(orgId)} ${amountNano}`);
