import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import type { LedgerAccount } from './domain/ledger-account.js';
import type { LedgerEntry, LedgerTransaction } from './ledger-transaction.js';
import { LedgerStore } from './persistence/ledger.store.js';

/** The books of the service: what nobody may change, and what always sums to zero. */
@Injectable()
export class LedgerService {
  constructor(private readonly ledger: LedgerStore) {}

  /**
   * Writes a transaction, once for its key, with the running database transaction where there is one. What concerns
   * `credits` is written by grants and by paid work alone, so that the account is always what its entries say.
   *
   * @returns false when it was there already, with the same entries.
   * @throws {AssertionError} when the entries do not sum to zero, or differ from those that the key has.
   */
  async post(transaction: LedgerTransaction): Promise<boolean> {
    return (await this.postAll([transaction])).size === 1;
  }

  /** {@link post} for each; the keys of those that were not there. */
  async postAll(transactions: readonly LedgerTransaction[]): Promise<ReadonlySet<string>> {
    for (const { key, entries } of transactions) {
      assert(
        entries.length >= 2 && entries.every(({ amountNano }) => amountNano !== 0n),
        `The ledger transaction ${key} has too few entries, or one of nothing.`,
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
        `The ledger transaction ${key} is there, with other entries.`,
      );
    }
    return added;
  }

  /** What has been posted to an organization's account: above zero, debits outweigh. */
  sum(orgId: string, account: LedgerAccount): Promise<bigint> {
    return this.ledger.sum(orgId, account);
  }
}

const shown = (entries: readonly LedgerEntry[]): string[] =>
  entries.map(({ account, orgId, amountNano }) => `${account} ${String(orgId)} ${amountNano}`);
