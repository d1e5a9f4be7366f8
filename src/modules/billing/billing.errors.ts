import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import type { Plan } from '../plans/plan.js';
import type { LimitExcess } from '../plans/plan-limit-counters.js';
import { formatCents } from './domain/cents.js';

export const BILLING_ERRORS = defineErrors({
  plan_request_not_found: { type: 'not_found_error', status: 404, title: 'Plan request not found.' },
  invoice_not_found: { type: 'not_found_error', status: 404, title: 'Invoice not found.', dashboard: '/~/billing' },
  plan_too_small: {
    type: 'conflict_error',
    status: 409,
    title: 'The organization exceeds the limits of the plan.',
    dashboard: '/~/usage',
  },
  plan_by_contract: {
    type: 'conflict_error',
    status: 409,
    title: 'The plan is available by contract only.',
    dashboard: '/~/billing',
  },
  payment_method_required: {
    type: 'conflict_error',
    status: 409,
    title: 'The organization has no payment method.',
    dashboard: '/~/billing',
  },
  invoice_closed: { type: 'conflict_error', status: 409, title: 'The invoice is paid or void.' },
  credit_too_large: { type: 'conflict_error', status: 409, title: 'The credit note exceeds the invoice.' },
});

/** The organization exceeds the limits of the smaller plan. */
export class PlanTooSmall extends DomainError {
  constructor({ id, name }: Plan, over: readonly LimitExcess[]) {
    const list = over
      .map(({ limit, allowed, used }) => `${used} ${limit.replaceAll('_', ' ')} (limit ${allowed})`)
      .join(', ');
    super(BILLING_ERRORS.plan_too_small, `Limits of the plan ${name} exceeded: ${list}.`, {
      hint: 'Delete what you no longer need, then choose the plan again.',
      details: { plan: id, over },
    });
  }
}

/** Enterprise begins and ends by contract with the operator. */
export class PlanByContract extends DomainError {
  constructor({ id, name }: Plan) {
    super(BILLING_ERRORS.plan_by_contract, `The plan ${name} begins and ends by contract.`, {
      hint: 'Contact the operator of the service.',
      details: { plan: id },
    });
  }
}

/** An operator refused a request that was withdrawn, decided, or never created. */
export class PlanRequestNotFound extends DomainError {
  constructor() {
    super(BILLING_ERRORS.plan_request_not_found, 'The organization has no pending plan request.', {
      hint: 'List pending requests with GET /ops/tasks?runbookTag=plan_request.',
    });
  }
}

/** The answer is identical for an invoice of another tenant, one that does not exist, and one without a number. */
export class InvoiceNotFound extends DomainError {
  constructor() {
    super(BILLING_ERRORS.invoice_not_found, 'Invoice not found.', {
      hint: 'List invoices with GET /api/v1/billing/invoices; x-service-org selects the organization.',
    });
  }
}

/** The invoice is paid or void, so it cannot change any more. */
export class InvoiceClosed extends DomainError {
  constructor(state: string) {
    super(BILLING_ERRORS.invoice_closed, `The invoice is ${state}.`, { details: { state } });
  }
}

/** The credit note exceeds what is left of the invoice. */
export class CreditTooLarge extends DomainError {
  constructor(leftCents: bigint) {
    super(
      BILLING_ERRORS.credit_too_large,
      `The credit note exceeds the remaining $${formatCents(leftCents)} of the invoice.`,
      {
        details: { left: formatCents(leftCents) },
      },
    );
  }
}

/** A paid plan and the pages of the payment provider require a payment method. */
export class PaymentMethodRequired extends DomainError {
  constructor() {
    super(BILLING_ERRORS.payment_method_required, 'The organization has no payment method.', {
      hint: 'Add one on the page that POST /api/v1/billing/checkout returns.',
    });
  }
}

export class PaymentsNotConfigured extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.integration_not_configured, 'No payment provider is configured.', {
      hint: 'Ask the operator, who can connect Stripe with STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.',
    });
  }
}

/**
 * The payment provider is unavailable or refused a request. The message contains only the provider's own error code.
 */
export class PaymentProviderRefused extends DomainError {
  constructor(status: number | undefined, fault: string) {
    super(
      GENERIC_ERRORS.upstream_error,
      status === undefined ? 'Stripe did not respond.' : `Stripe responded with ${status}: ${fault}.`,
      {
        hint: 'Retry, and check status.stripe.com if it persists.',
        details: { provider: 'stripe', ...(status === undefined ? {} : { status }) },
      },
    );
  }
}

export class WebhookSignatureInvalid extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.invalid_signature, 'The signature of the event is invalid or too old.', {
      hint: "Set STRIPE_WEBHOOK_SECRET to this endpoint's signing secret from the Stripe dashboard.",
    });
  }
}
