/**
 * The accounts of the ledger. A positive entry is a debit and a negative one a credit, as in bookkeeping. So what an
 * organization owns or was granted is negative.
 *
 * - `credits`: what the organization may spend. The balance is minus its sum.
 * - `usage_receivable`: usage beyond the credits that is not on an invoice yet.
 * - `invoiced`: amounts on invoices that are not paid yet.
 * - `cash`: payments.
 * - `revenue`: usage at its price, and base fees.
 * - `promotion`: credits granted for free.
 * - `platform_loss`: usage beyond its hold, which the platform bears.
 * - `rounding`: the difference between an invoice in cents and the nano-dollars of its lines.
 */
export type LedgerAccount =
  'credits' | 'usage_receivable' | 'invoiced' | 'cash' | 'revenue' | 'promotion' | 'platform_loss' | 'rounding';
