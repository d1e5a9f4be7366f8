/**
 * `gathering`: its month is being closed. `draft`: its lines are there. `finalized`: it has a number, and never
 * changes. What then becomes of it: `paid`, `overdue`, `void`.
 */
export const INVOICE_STATES = ['gathering', 'draft', 'finalized', 'paid', 'overdue', 'void'] as const;
export type InvoiceState = (typeof INVOICE_STATES)[number];

/** Whether something of it is still to be paid. */
export const isOpen = (state: InvoiceState): boolean => state === 'finalized' || state === 'overdue';

/**
 * - `base_fee`: of a plan, for a part of the period.
 * - `usage`: of a meter at a price.
 * - `adjustment`: usage of an earlier month that became known after that was closed.
 * - `credits`: what of the usage was paid with credits.
 * - `not_charged`: usage that nobody pays for: beyond what had been held for it, refunded, or on Free.
 * - `rounding`: what whole cents are off the nano-dollars of the other lines.
 */
export const LINE_KINDS = ['base_fee', 'usage', 'adjustment', 'credits', 'not_charged', 'rounding'] as const;
export type LineKind = (typeof LINE_KINDS)[number];
