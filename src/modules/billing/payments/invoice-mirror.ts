import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import { PaymentsStore } from '../persistence/payments.store.js';
import { invoiceMirrorJob } from './payments.job.js';
import { PaymentProvider } from './payment-provider.js';

/** Keeps the payment provider's copies of invoices up to date. */
@Injectable()
export class InvoiceMirror {
  constructor(
    private readonly provider: PaymentProvider,
    private readonly payments: PaymentsStore,
    private readonly invoices: InvoicesStore,
    private readonly shown: InvoicesService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Joins the running transaction, which changed the invoices. */
  async changed(...invoiceIds: readonly string[]): Promise<void> {
    if (this.provider.takesPayments)
      await this.outbox.enqueueAll(
        invoiceMirrorJob,
        invoiceIds.map((invoiceId) => ({ invoiceId })),
      );
  }

  /** Organizations that the provider does not know are billed manually. */
  async bringUpToDate(invoiceId: string): Promise<void> {
    const invoice = await this.invoices.byId(invoiceId);
    if (invoice === null || invoice.totalCents === 0n) return;
    const [customer, providerId] = [
      await this.payments.customerOf(invoice.orgId),
      await this.payments.providerIdOf(invoiceId),
    ];
    if (customer === undefined || (providerId === undefined && invoice.state === 'void')) return;
    await this.provider.mirror(await this.shown.whole(invoice), { customerId: customer.customerId, providerId }, (id) =>
      this.payments.addProviderId(invoiceId, id, this.clock.now()),
    );
  }
}
