import type { WholeInvoice } from '../invoices/invoices.service.js';
import type { PlanId } from '../../plans/plan.js';

export interface CheckoutOptions {
  readonly orgId: string;
  readonly orgName: string;
  /** Of the person who asks. */
  readonly email: string;
  readonly plan: PlanId;
  /** Undefined: the provider does not know the organization yet. */
  readonly customerId: string | undefined;
}

export interface Checkout {
  readonly customerId: string;
  /** Where a person gives a means of payment. */
  readonly url: string;
}

/** A checkout as the provider has it now. */
export interface CheckoutState {
  readonly orgId: string;
  readonly plan: PlanId;
  readonly customerId: string;
  /** Absent until it is complete. */
  readonly subscriptionId?: string;
}

/**
 * Something has changed at the provider. What it is now must be asked for: events come late, twice and in any order.
 */
export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  /** What it is about. */
  readonly objectId: string;
}

/** Whoever takes the money. */
export abstract class PaymentProvider {
  /** Whether a person must give a means of payment before a plan that costs something begins. */
  abstract readonly takesPayments: boolean;

  /** @throws {PaymentsNotConfigured} `integration_not_configured` @throws {PaymentProviderRefused} `upstream_error` */
  abstract checkout(input: CheckoutOptions): Promise<Checkout>;

  /** Where a person changes the means of payment, or ends the subscription. @throws as {@link checkout}. */
  abstract portal(customerId: string): Promise<string>;

  /**
   * Brings the provider's copy of a finalized invoice up to date: its lines, credit notes, and what became of it. May
   * be repeated. `remember` is told the id of a copy as soon as it is made.
   */
  abstract mirror(
    invoice: WholeInvoice,
    at: { customerId: string; providerId: string | undefined },
    remember: (providerId: string) => Promise<void>,
  ): Promise<void>;

  /**
   * Reads what came to the webhook. @throws {WebhookSignatureInvalid} `invalid_signature` @throws
   * {PaymentsNotConfigured} `integration_not_configured`
   */
  abstract eventOf(body: Buffer, signature: string): ProviderEvent;

  abstract checkoutState(id: string): Promise<CheckoutState>;

  /** Whether invoices can be charged to it. */
  abstract isActive(subscriptionId: string): Promise<boolean>;

  /** Our own id of an invoice that is paid there; undefined for one that is not paid, or not ours. */
  abstract paidInvoice(providerId: string): Promise<string | undefined>;
}
