import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { formatUsd } from '../../platform/money/nano-dollars.js';

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

export class GrantKeyTaken extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.already_exists, 'This key was already used for another grant.', {
      hint: 'Use a new key for each grant.',
    });
  }
}
