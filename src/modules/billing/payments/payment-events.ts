import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgPlans } from '../../orgs/org-plans.js';
import { InvoiceClosed } from '../billing.errors.js';
import { InvoiceOperations } from '../operators/invoice-operations.js';
import { PaymentsStore } from '../persistence/payments.store.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { PaymentProvider } from './payment-provider.js';

/**
 * What follows from what the provider tells. An event says only what to look at; what it is now is asked for, so that
 * it does not matter how often, how late or in which order events come.
 */
@Injectable()
export class PaymentEvents {
  constructor(
    private readonly provider: PaymentProvider,
    private readonly payments: PaymentsStore,
    private readonly subscriptions: SubscriptionsService,
    private readonly invoices: InvoiceOperations,
    private readonly plans: OrgPlans,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async process(eventId: string): Promise<void> {
    const event = await this.payments.pending(eventId);
    if (event === undefined) return;
    const [kind] = event.type.split('.');
    if (kind === 'checkout') await this.checkout(event.objectId);
    else if (kind === 'customer') await this.subscription(event.objectId);
    else await this.invoice(event.objectId);
    await this.payments.markProcessed(eventId, this.clock.now());
  }

  /**
   * It is complete: the organization has a means of payment, and the plan that it was for, unless it has a larger one.
   */
  private async checkout(id: string): Promise<void> {
    const { orgId, plan, customerId, subscriptionId } = await this.provider.checkoutState(id);
    if (subscriptionId === undefined) return;
    const ready = await this.provider.isActive(subscriptionId);
    await this.database.transaction(async () => {
      if ((await this.plans.lock(orgId)) === null) return;
      const known = await this.payments.customerOf(orgId);
      // Of two checkouts that were both completed the one stays that is good.
      if (ready || known?.ready !== true)
        await this.payments.saveCustomer({ orgId, customerId, subscriptionId, ready }, this.clock.now());
      if (ready) await this.subscriptions.riseTo(orgId, plan, 'checkout');
    });
  }

  /** It was ended, or not: without a means of payment there is no further month of a plan that costs something. */
  private async subscription(id: string): Promise<void> {
    const ready = await this.provider.isActive(id);
    await this.database.transaction(async () => {
      const seen = await this.payments.customerBySubscription(id);
      if (seen === undefined || (await this.plans.lock(seen.orgId)) === null) return;
      // A checkout may have put another one in its place before the lock was had.
      const customer = await this.payments.customerBySubscription(id);
      if (customer === undefined) return;
      await this.payments.saveCustomer({ ...customer, ready }, this.clock.now());
      if (!ready) await this.subscriptions.endWithPeriod(customer.orgId, 'subscription ended');
    });
  }

  private async invoice(id: string): Promise<void> {
    const invoiceId = await this.provider.paidInvoice(id);
    if (invoiceId === undefined) return;
    try {
      await this.invoices.markPaid(invoiceId, { payment: `Stripe ${id}`, by: 'provider' });
    } catch (error) {
      if (!(error instanceof InvoiceClosed)) throw error;
      this.log.warn({ invoiceId, providerId: id }, 'An invoice that is void was paid: the money is to be given back.');
    }
  }
}
