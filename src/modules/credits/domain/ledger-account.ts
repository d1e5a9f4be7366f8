/**
 * The accounts of the ledger. An entry above zero is a debit, one below zero a credit, as bookkeepers have it; so what
 * an organization owns, or has been given, stands below zero.
 *
 * - `credits`: what the organization may spend. Minus its sum is the balance.
 * - `usage_receivable`: used beyond the credits, not yet on an invoice.
 * - `invoiced`: on an invoice, not yet paid.
 * - `cash`: paid.
 * - `revenue`: usage at its price, and base fees.
 * - `promotion`: credits that were given for nothing.
 * - `platform_loss`: usage that nobody pays for, because more was used than had been held for it.
 * - `rounding`: what an invoice in cents is off the nano-dollars of its lines.
 */
export type LedgerAccount =
  'credits' | 'usage_receivable' | 'invoiced' | 'cash' | 'revenue' | 'promotion' | 'platform_loss' | 'rounding';
