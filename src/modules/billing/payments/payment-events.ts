import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { InvoiceClosed } from '../billing.errors.js';
import { InvoiceOperations } from '../operators/invoice-operations.js';
import { PaymentsStore } from '../persistence/payments.store.js';
import { PaymentCustomers } from './payment-customers.js';
import { PaymentProvider } from './payment-provider.js';

/**
 * Processes events of the payment provider. An event only names an object, whose current state is requested, so it does
 * not matter how often, how late or in which order events arrive.
 */
@Injectable()
export class PaymentEvents {
  constructor(
    private readonly provider: PaymentProvider,
    private readonly payments: PaymentsStore,
    private readonly customers: PaymentCustomers,
    private readonly invoices: InvoiceOperations,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async process(eventId: string): Promise<void> {
    const event = await this.payments.pending(eventId);
    if (event === undefined) return;
    const [kind] = event.type.split('.');
    if (kind === 'checkout') await this.customers.applyCheckout(event.objectId);
    else if (kind === 'customer') await this.customers.applySubscription(event.objectId);
    else await this.invoice(event.objectId);
    await this.payments.markProcessed(eventId, this.clock.now());
  }

  private async invoice(id: string): Promise<void> {
    const invoiceId = await this.provider.paidInvoice(id);
    if (invoiceId === undefined) return;
    try {
      await this.invoices.markPaid(invoiceId, { payment: `Stripe ${id}`, by: 'provider' });
    } catch (error) {
      if (!(error instanceof InvoiceClosed)) throw error;
      this.log.warn({ invoiceId, providerId: id }, 'A void invoice was paid at the provider. Refund the payment.');
    }
  }
}
