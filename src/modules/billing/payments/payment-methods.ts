import { Injectable } from '@nestjs/common';
import { PaymentMethodRequired } from '../billing.errors.js';
import { PaymentsStore } from '../persistence/payments.store.js';
import { PaymentProvider } from './payment-provider.js';

@Injectable()
export class PaymentMethods {
  constructor(
    private readonly provider: PaymentProvider,
    private readonly payments: PaymentsStore,
  ) {}

  /** True when a provider collects payments, and false when invoices are paid manually. */
  get areNeeded(): boolean {
    return this.provider.takesPayments;
  }

  /**
   * @throws {PaymentMethodRequired} `payment_method_required`: a provider collects payments, and the organization has
   * no payment method.
   */
  async require(orgId: string): Promise<void> {
    if (this.provider.takesPayments && (await this.payments.customerOf(orgId))?.ready !== true)
      throw new PaymentMethodRequired();
  }
}
