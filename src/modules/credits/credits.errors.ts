import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';
import { formatUsd } from '../../platform/money/nano-dollars.js';
import { type BudgetWindow, resetOf } from './domain/budget.js';
import type { BudgetRefusal } from './purse/purse-budgets.js';

export const CREDIT_ERRORS = defineErrors({
  credits_exhausted: {
    type: 'insufficient_credits_error',
    status: 402,
    title: 'Not enough credits.',
    dashboard: '/~/billing',
  },
  spend_cap_reached: {
    type: 'insufficient_credits_error',
    status: 402,
    title: 'The spend cap is reached.',
    dashboard: '/~/billing',
  },
  budget_exceeded: {
    type: 'insufficient_credits_error',
    status: 402,
    title: 'A budget is used up.',
    dashboard: '/~/billing',
  },
  budget_not_found: { type: 'not_found_error', status: 404, title: 'Budget not found.' },
  budget_subject_not_found: { type: 'not_found_error', status: 404, title: 'The subject of a budget does not exist.' },
});

interface Shortfall {
  /** The most that the work may cost. */
  readonly requiredNano: bigint;
  /** What is left for the work and not held for other work. */
  readonly availableNano: bigint;
  readonly upgradeUrl: string;
}

/** The credits do not cover the work, and the plan does not bill usage (service document §8). */
export class CreditsExhausted extends DomainError {
  constructor({ requiredNano, availableNano, upgradeUrl }: Shortfall) {
    super(
      CREDIT_ERRORS.credits_exhausted,
      `Not enough credits: $${formatUsd(requiredNano)} required, $${formatUsd(availableNano)} available.`,
      {
        hint:
          availableNano > 0n
            ? `Lower timeout_ms, wait for running work to end, or choose a plan that bills usage: ${upgradeUrl}`
            : `Choose a plan that bills usage: ${upgradeUrl}`,
        upgradeUrl,
        details: { required: formatUsd(requiredNano), available: formatUsd(availableNano) },
      },
    );
  }
}

/** The work might exceed the monthly spend cap that the organization has set. */
export class SpendCapReached extends DomainError {
  constructor({ requiredNano, availableNano, upgradeUrl }: Shortfall, capNano: bigint) {
    super(
      CREDIT_ERRORS.spend_cap_reached,
      `Monthly spend cap of $${formatUsd(capNano)} reached: ` +
        `$${formatUsd(requiredNano)} required, $${formatUsd(availableNano)} available.`,
      {
        hint: 'Raise it with PUT /api/v1/billing/spend-cap, or wait for the next month (UTC).',
        upgradeUrl,
        details: {
          required: formatUsd(requiredNano),
          available: formatUsd(availableNano),
          spend_cap: formatUsd(capNano),
        },
      },
    );
  }
}

/** The work might exceed the budget that the organization has set for a key or something else. */
export class BudgetExceeded extends DomainError {
  constructor({ budget, availableNano }: BudgetRefusal, requiredNano: bigint, at: Date) {
    const { subject, window, limitNano } = budget;
    const resetsAt = resetOf(window, at)?.toISOString();
    const raise = `raise it with PUT /api/v1/billing/budgets/${subject}`;
    super(
      CREDIT_ERRORS.budget_exceeded,
      `The budget of $${formatUsd(limitNano)} for ${subject}${OF_WINDOW[window]} is used up: ` +
        `$${formatUsd(requiredNano)} required, $${formatUsd(availableNano)} available.`,
      {
        hint: resetsAt === undefined ? `To go on, ${raise}.` : `Wait until ${resetsAt}, or ${raise}.`,
        details: {
          subject,
          window,
          limit: formatUsd(limitNano),
          required: formatUsd(requiredNano),
          available: formatUsd(availableNano),
          ...(resetsAt === undefined ? {} : { resets_at: resetsAt }),
        },
      },
    );
  }
}

const OF_WINDOW: Readonly<Record<BudgetWindow, string>> = { day: ' and a day', month: ' and a month', total: '' };

export class BudgetNotFound extends DomainError {
  constructor() {
    super(CREDIT_ERRORS.budget_not_found, 'This organization has no budget for this subject.', {
      hint: 'List the budgets with GET /api/v1/billing/budgets.',
    });
  }
}

/** A project of another organization gets the same answer as one that does not exist. */
export class BudgetSubjectNotFound extends DomainError {
  constructor() {
    super(CREDIT_ERRORS.budget_subject_not_found, 'No project of this organization has this ID.', {
      hint: 'List the projects with GET /api/v1/projects.',
    });
  }
}

export class BudgetSubjectInvalid extends RequestInvalid {
  constructor() {
    super([
      {
        path: 'subject',
        in: 'path',
        code: 'is_budget_subject',
        message:
          'subject must be "key:" and the id of an API key, or "project:" and the id of a project, ' +
          'such as key:key_01jd3m8yeqf5rb0xkq5ym8s6tn',
      },
    ]);
  }
}

export class TooManyBudgets extends RequestInvalid {
  constructor(limit: number) {
    super([
      {
        path: '',
        in: 'body',
        code: 'max_budgets',
        message: `An organization can have ${limit} budgets. Delete one that is no longer used.`,
        expected: { max: limit },
      },
    ]);
  }
}

export class GrantKeyTaken extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.already_exists, 'This key was already used for another grant.', {
      hint: 'Use a new key for each grant.',
    });
  }
}
