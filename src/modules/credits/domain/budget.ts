import { monthOf } from '../../metering/month.js';

export const BUDGET_WINDOWS = ['day', 'month', 'total'] as const;
/** How often a budget is reset, in UTC. `total` never is. */
export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];

/** The most that the work of a subject may cost in a window. */
export interface Budget {
  readonly id: string;
  readonly orgId: string;
  /** What it limits: its kind and id, such as `key:key_…`. */
  readonly subject: string;
  readonly window: BudgetWindow;
  readonly limitNano: bigint;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Returns the name of the period of a window that a time belongs to: `total`, `2026-11` or `2026-11-23`. */
export function periodOf(window: BudgetWindow, at: Date): string {
  switch (window) {
    case 'day':
      return at.toISOString().slice(0, 10);
    case 'month':
      return at.toISOString().slice(0, 7);
    case 'total':
      return window;
  }
}

/** Returns the names of the periods of all windows that a time belongs to. */
export const periodsOf = (at: Date): string[] => BUDGET_WINDOWS.map((window) => periodOf(window, at));

/** Returns when a budget is reset, or null when it never is. */
export function resetOf(window: BudgetWindow, at: Date): Date | null {
  switch (window) {
    case 'day':
      return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));
    case 'month':
      return monthOf(at).end;
    case 'total':
      return null;
  }
}
