import { type DomainError } from '../../../platform/errors/domain-error.js';
import type { RunWait } from '../domain/run-state.js';

/** Why a run does not go on now. */
export interface Wait {
  readonly for: RunWait;
  /** For people. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** When it wakes by itself. */
  readonly until: Date | null;
}

/** After a refusal for money without a time of its own, a run looks again after so long. */
const LOOK_AGAIN_MS = 3_600_000;

/** A run waits for money until a person raises the limit, or until the budget is reset. */
export function waitForMoney({ code, message, help }: DomainError, now: Date): Wait {
  const details = (help.details ?? {}) as { readonly subject?: string; readonly resets_at?: string };
  // The budgets of a run itself last as long as the run. Credits and caps change without a notice to it.
  const isOwn = details.subject !== undefined && details.resets_at === undefined;
  const until = details.resets_at === undefined ? new Date(now.getTime() + LOOK_AGAIN_MS) : new Date(details.resets_at);
  return {
    for: 'budget',
    detail: { budget: 'cost', code, message, ...(details.subject === undefined ? {} : { subject: details.subject }) },
    until: isOwn ? null : until,
  };
}

/** A run waits for a limit of its own until a person raises it. */
export const waitForLimit = (budget: 'steps' | 'tool_calls' | 'active_seconds', limit: number): Wait => ({
  for: 'budget',
  detail: { budget, limit, message: `The limit of ${budget} is reached: ${limit}.` },
  until: null,
});

export const waitForTimer = (until: Date, reason: string): Wait => ({ for: 'timer', detail: { reason }, until });
