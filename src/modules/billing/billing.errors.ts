import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import type { Plan } from '../plans/plan.js';
import type { LimitExcess } from '../plans/plan-limit-counters.js';
import { formatCents } from './domain/cents.js';

export const BILLING_ERRORS = defineErrors({
  plan_request_not_found: { type: 'not_found_error', status: 404, title: 'Plan request not found.' },
  invoice_not_found: { type: 'not_found_error', status: 404, title: 'Invoice not found.' },
  plan_too_small: { type: 'conflict_error', status: 409, title: 'The organization exceeds the limits of the plan.' },
  plan_by_contract: { type: 'conflict_error', status: 409, title: 'The plan is available by contract only.' },
  payment_method_required: { type: 'conflict_error', status: 409, title: 'The organization has no payment method.' },
  invoice_closed: { type: 'conflict_error', status: 409, title: 'The invoice is paid or void.' },
  credit_too_large: { type: 'conflict_error', status: 409, title: 'The credit note exceeds the invoice.' },
});

/** What the organization has does not fit into the smaller plan that it wants. */
export class PlanTooSmall extends DomainError {
  constructor({ id, name }: Plan, over: readonly LimitExcess[]) {
    const list = over
      .map(({ limit, allowed, used }) => `${used} ${limit.replaceAll('_', ' ')}, where ${allowed} have room`)
      .join('; ');
    super(BILLING_ERRORS.plan_too_small, `The organization has more than the plan ${name} holds: ${list}.`, {
      hint: 'Delete what is not needed any more, then choose the plan again.',
      details: { plan: id, over },
    });
  }
}

/** Enterprise is agreed on with people, both its beginning and its end. */
export class PlanByContract extends DomainError {
  constructor({ id, name }: Plan) {
    super(BILLING_ERRORS.plan_by_contract, `The plan ${name} begins and ends by contract.`, {
      hint: 'Contact the operator of the service.',
      details: { plan: id },
    });
  }
}

/** An operator refuses a request that was withdrawn, decided, or never made. */
export class PlanRequestNotFound extends DomainError {
  constructor() {
    super(BILLING_ERRORS.plan_request_not_found, 'The organization has no pending plan request.', {
      hint: 'GET /ops/tasks?runbookTag=plan_request lists those that are pending.',
    });
  }
}

/** To the byte the same for an invoice of strangers as for one that never was, or has no number yet. */
export class InvoiceNotFound extends DomainError {
  constructor() {
    super(BILLING_ERRORS.invoice_not_found, 'There is no such invoice.', {
      hint: 'GET /api/v1/billing/invoices lists those of an organization; x-service-org says of which.',
    });
  }
}

/** Nothing can become of an invoice any more that is paid or void. */
export class InvoiceClosed extends DomainError {
  constructor(state: string) {
    super(BILLING_ERRORS.invoice_closed, `The invoice is ${state}.`, { details: { state } });
  }
}

/** A credit note would take back more than is left of the invoice. */
export class CreditTooLarge extends DomainError {
  constructor(leftCents: bigint) {
    super(BILLING_ERRORS.credit_too_large, 'The credit note is larger than what is left of the invoice.', {
      details: { left: formatCents(leftCents) },
    });
  }
}

/** A plan that costs something, or the pages of the provider, want a means of payment that nobody has given yet. */
export class PaymentMethodRequired extends DomainError {
  constructor() {
    super(BILLING_ERRORS.payment_method_required, 'The organization has no payment method.', {
      hint: 'POST /api/v1/billing/checkout answers where to give one; the plan begins once that is done.',
    });
  }
}

export class PaymentsNotConfigured extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.integration_not_configured, 'This service is connected to no provider of payments.', {
      hint: 'Invoices are paid by hand here. Its operator sets STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET to connect Stripe.',
    });
  }
}

/** The provider is away or refuses what it should not. Only its own name for the fault is told. */
export class PaymentProviderRefused extends DomainError {
  constructor(status: number | undefined, fault: string) {
    super(
      GENERIC_ERRORS.upstream_error,
      status === undefined ? 'Stripe does not answer.' : `Stripe answered ${status}: ${fault}.`,
      {
        hint: 'Try again. If it stays, look at status.stripe.com.',
        details: { provider: 'stripe', ...(status === undefined ? {} : { status }) },
      },
    );
  }
}

export class WebhookSignatureInvalid extends DomainError {
  constructor() {
    super(
      GENERIC_ERRORS.invalid_signature,
      'The event is not signed with the secret of the webhook, or was signed too long ago.',
      {
        hint: 'STRIPE_WEBHOOK_SECRET must be the signing secret of this endpoint in the dashboard of Stripe.',
      },
    );
  }
}
