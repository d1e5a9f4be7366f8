import type { WholeInvoice } from '../invoices/invoices.service.js';
import type { PlanId } from '../../plans/plan.js';

export interface CheckoutOptions {
  readonly orgId: string;
  readonly orgName: string;
  /** The email address of the caller. */
  readonly email: string;
  readonly plan: PlanId;
  /** Undefined when the provider does not know the organization yet. */
  readonly customerId: string | undefined;
}

export interface Checkout {
  readonly customerId: string;
  /** The page where a person adds a payment method. */
  readonly url: string;
}

/** The current state of a checkout at the provider. */
export interface CheckoutState {
  readonly orgId: string;
  readonly plan: PlanId;
  readonly customerId: string;
  /** Absent until the checkout is complete. */
  readonly subscriptionId?: string;
}

/**
 * Something changed at the provider. The current state must be requested, because events arrive late, twice and in any
 * order.
 */
export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  /** The id of the changed object. */
  readonly objectId: string;
}

/** The service that collects payments. */
export abstract class PaymentProvider {
  /** True when a paid plan requires a payment method. */
  abstract readonly takesPayments: boolean;

  /** @throws {PaymentsNotConfigured} `integration_not_configured` @throws {PaymentProviderRefused} `upstream_error` */
  abstract checkout(input: CheckoutOptions): Promise<Checkout>;

  /**
   * Returns the page where a person changes the payment method or ends the subscription.
   *
   * @throws the errors of {@link checkout}.
   */
  abstract portal(customerId: string): Promise<string>;

  /**
   * Updates the provider's copy of a finalized invoice: lines, credit notes and state. Safe to repeat. `remember` gets
   * the id of a new copy as soon as it exists.
   */
  abstract mirror(
    invoice: WholeInvoice,
    at: { customerId: string; providerId: string | undefined },
    remember: (providerId: string) => Promise<void>,
  ): Promise<void>;

  /**
   * Verifies and reads the body of a webhook request.
   *
   * @throws {WebhookSignatureInvalid} `invalid_signature`
   * @throws {PaymentsNotConfigured} `integration_not_configured`
   */
  abstract eventOf(body: Buffer, signature: string): ProviderEvent;

  abstract checkoutState(id: string): Promise<CheckoutState>;

  /** True when invoices can be charged to the subscription. */
  abstract isActive(subscriptionId: string): Promise<boolean>;

  /** Returns our id of an invoice that is paid at the provider, or undefined when it is unpaid or not ours. */
  abstract paidInvoice(providerId: string): Promise<string | undefined>;
}
