import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { formatUsd } from '../../platform/money/nano-dollars.js';

export const CREDIT_ERRORS = defineErrors({
  credits_exhausted: { type: 'insufficient_credits_error', status: 402, title: 'Not enough credits.' },
  spend_cap_reached: { type: 'insufficient_credits_error', status: 402, title: 'The spend cap is reached.' },
});

interface Shortfall {
  /** The most that the work may cost. */
  readonly requiredNano: bigint;
  /** What is left for it, and not held for other work. */
  readonly availableNano: bigint;
  readonly upgradeUrl: string;
}

/** Nothing, or too little, is left of the credits, and the plan bills no usage (service document §8). */
export class CreditsExhausted extends DomainError {
  constructor({ requiredNano, availableNano, upgradeUrl }: Shortfall) {
    super(
      CREDIT_ERRORS.credits_exhausted,
      `The credits do not cover this: it may cost $${formatUsd(requiredNano)}, and $${formatUsd(availableNano)} is left.`,
      {
        hint:
          availableNano > 0n
            ? `Ask for less, with a shorter timeout_ms for one, wait for work that is under way, or choose a plan that bills usage: ${upgradeUrl}`
            : `Choose a plan that bills usage: ${upgradeUrl}`,
        upgradeUrl,
        details: { required: formatUsd(requiredNano), available: formatUsd(availableNano) },
      },
    );
  }
}

/** The organization has said how much a month it will pay for usage, and this might pass it. */
export class SpendCapReached extends DomainError {
  constructor({ requiredNano, availableNano, upgradeUrl }: Shortfall, capNano: bigint) {
    super(
      CREDIT_ERRORS.spend_cap_reached,
      `The spend cap of $${formatUsd(capNano)} a month does not cover this: it may cost $${formatUsd(requiredNano)}, and $${formatUsd(availableNano)} is left.`,
      {
        hint: 'Set a higher spend cap with PUT /api/v1/billing/spend-cap, or wait for the next month (UTC).',
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

export class GrantKeyTaken extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.already_exists, 'This key was already used for another grant.', {
      hint: 'Use a new key for each grant.',
    });
  }
}
