import type { LedgerAccount } from './domain/ledger-account.js';

export interface LedgerEntry {
  readonly account: LedgerAccount;
  /** A positive amount is a debit and a negative one a credit. It is never zero. */
  readonly amountNano: bigint;
  /** The owner, for accounts that each organization has. */
  readonly orgId: string | null;
}

export interface LedgerTransaction {
  /** Identifies what the transaction is for. Each key has one transaction. */
  readonly key: string;
  readonly kind: 'grant' | 'expiry' | 'usage' | 'refund' | 'invoice' | 'payment' | 'credit_note';
  readonly orgId: string | null;
  readonly at: Date;
  /** At least two entries that sum to zero. */
  readonly entries: readonly LedgerEntry[];
  readonly details?: Readonly<Record<string, string>>;
}
