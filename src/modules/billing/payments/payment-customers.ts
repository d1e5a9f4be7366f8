import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgPlans } from '../../orgs/org-plans.js';
import { PaymentsStore } from '../persistence/payments.store.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { PaymentProvider } from './payment-provider.js';

/** Keeps the payment methods of organizations, and their plans, in line with the provider. */
@Injectable()
export class PaymentCustomers {
  constructor(
    private readonly provider: PaymentProvider,
    private readonly payments: PaymentsStore,
    private readonly subscriptions: SubscriptionsService,
    private readonly plans: OrgPlans,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** A complete checkout adds a payment method and begins its plan, unless the organization has a larger one. */
  async applyCheckout(id: string): Promise<void> {
    const { orgId, plan, customerId, subscriptionId } = await this.provider.checkoutState(id);
    if (subscriptionId === undefined) return;
    const ready = await this.provider.isActive(subscriptionId);
    await this.database.transaction(async () => {
      if ((await this.plans.lock(orgId)) === null) return;
      const known = await this.payments.customerOf(orgId);
      // If two checkouts were completed, the one with a usable payment method stays.
      if (ready || known?.ready !== true)
        await this.payments.saveCustomer({ orgId, customerId, subscriptionId, ready }, this.clock.now());
      if (ready) await this.subscriptions.upgradeTo(orgId, plan, 'checkout');
    });
  }

  /** Applies a change of a subscription. Without a payment method a paid plan ends with its period. */
  async applySubscription(id: string): Promise<void> {
    const ready = await this.provider.isActive(id);
    await this.database.transaction(async () => {
      const seen = await this.payments.customerBySubscription(id);
      if (seen === undefined || (await this.plans.lock(seen.orgId)) === null) return;
      // A checkout may have replaced it before the lock was taken.
      const customer = await this.payments.customerBySubscription(id);
      if (customer === undefined) return;
      await this.payments.saveCustomer({ ...customer, ready }, this.clock.now());
      if (!ready) await this.subscriptions.endWithPeriod(customer.orgId, 'subscription ended');
    });
  }
}
