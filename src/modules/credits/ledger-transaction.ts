import type { LedgerAccount } from './domain/ledger-account.js';

export interface LedgerEntry {
  readonly account: LedgerAccount;
  /** Above zero a debit, below zero a credit; never zero. */
  readonly amountNano: bigint;
  /** Whose; of an account that every organization has. */
  readonly orgId: string | null;
}

export interface LedgerTransaction {
  /** What it is the transaction of; there is one for each. */
  readonly key: string;
  readonly kind: 'grant' | 'expiry' | 'usage' | 'refund' | 'invoice' | 'payment' | 'credit_note';
  readonly orgId: string | null;
  readonly at: Date;
  /** At least two, and they sum to zero. */
  readonly entries: readonly LedgerEntry[];
  readonly details?: Readonly<Record<string, string>>;
}
