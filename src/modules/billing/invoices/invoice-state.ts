/**
 * `gathering` means that its month is being closed, and `draft` that its lines are complete. A `finalized` invoice has
 * a number and never changes; it becomes `paid`, `overdue` or `void`.
 */
export const INVOICE_STATES = ['gathering', 'draft', 'finalized', 'paid', 'overdue', 'void'] as const;
export type InvoiceState = (typeof INVOICE_STATES)[number];

/** True when a part of it is still to be paid. */
export const isOpen = (state: InvoiceState): boolean => state === 'finalized' || state === 'overdue';

/**
 * - `base_fee`: a plan for a part of the period.
 * - `usage`: usage of a meter at a price.
 * - `adjustment`: usage of an earlier month that became known after that was closed.
 * - `credits`: the part of the usage that credits paid for.
 * - `not_charged`: usage that the platform bears: beyond its hold, refunded, or on Free.
 * - `rounding`: the difference between whole cents and the nano-dollars of the other lines.
 */
export const LINE_KINDS = ['base_fee', 'usage', 'adjustment', 'credits', 'not_charged', 'rounding'] as const;
export type LineKind = (typeof LINE_KINDS)[number];
