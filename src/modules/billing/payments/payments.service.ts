import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { PaymentMethodRequired, PlanByContract } from '../billing.errors.js';
import { type PlanId, PLANS } from '../../plans/plan.js';
import { listPriceNano } from '../../plans/plan-price.js';
import { PaymentsStore } from '../persistence/payments.store.js';
import { paymentEventJob } from './payments.job.js';
import { PaymentProvider } from './payment-provider.js';

/** The events that are processed, by asking the provider for the current state. All others are ignored. */
const EVENTS: readonly string[] = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'invoice.payment_succeeded',
];

export type WebhookOutcome = 'accepted' | 'repeated' | 'ignored';

/** Handles checkouts, the payment portal and webhooks of the payment provider. */
@Injectable()
export class PaymentsService {
  constructor(
    private readonly provider: PaymentProvider,
    private readonly payments: PaymentsStore,
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the page where a person adds a payment method, after which the plan begins. A dry run does not call the
   * provider.
   *
   * @throws {PaymentsNotConfigured} `integration_not_configured`
   * @throws {PlanByContract} `plan_by_contract`
   * @throws {PaymentProviderRefused} `upstream_error`
   */
  async checkout({ org, principal: { user } }: Call, plan: PlanId, dryRun: boolean): Promise<string | undefined> {
    if (listPriceNano(plan) === null) throw new PlanByContract(PLANS[plan]);
    if (dryRun) return undefined;
    const customerId = (await this.payments.customerOf(org.id))?.customerId;
    const checkout = await this.provider.checkout({
      orgId: org.id,
      orgName: org.name,
      email: user.email,
      plan,
      customerId,
    });
    await this.payments.addCustomer(org.id, checkout.customerId, this.clock.now());
    return checkout.url;
  }

  /**
   * Returns the page where a person changes the payment method.
   *
   * @throws {PaymentMethodRequired} `payment_method_required`: the organization has none yet.
   * @throws {PaymentsNotConfigured} `integration_not_configured`
   * @throws {PaymentProviderRefused} `upstream_error`
   */
  async portal({ org }: Call, dryRun: boolean): Promise<string | undefined> {
    const customer = await this.payments.customerOf(org.id);
    if (this.provider.takesPayments && customer === undefined) throw new PaymentMethodRequired();
    return dryRun ? undefined : this.provider.portal(customer?.customerId ?? '');
  }

  /**
   * Receives an event of the provider. A worker processes it.
   *
   * @throws {WebhookSignatureInvalid} `invalid_signature`
   * @throws {PaymentsNotConfigured} `integration_not_configured`
   */
  async take(body: Buffer, signature: string): Promise<WebhookOutcome> {
    const event = this.provider.eventOf(body, signature);
    if (!EVENTS.includes(event.type)) return 'ignored';
    return this.database.transaction(async () => {
      if (!(await this.payments.receive(event, this.clock.now()))) return 'repeated';
      await this.outbox.enqueue(paymentEventJob, { eventId: event.id });
      return 'accepted';
    });
  }
}
