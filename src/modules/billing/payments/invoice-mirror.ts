import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import { PaymentsStore } from '../persistence/payments.store.js';
import { invoiceMirrorJob } from './payments.job.js';
import { PaymentProvider } from './payment-provider.js';

/** Tells the provider of payments of invoices, and of what becomes of them here. */
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

  /** With the running transaction, in which the invoices have changed. */
  async changed(...invoiceIds: readonly string[]): Promise<void> {
    if (this.provider.takesPayments)
      await this.outbox.enqueueAll(
        invoiceMirrorJob,
        invoiceIds.map((invoiceId) => ({ invoiceId })),
      );
  }

  /** An organization that the provider does not know is billed by hand. */
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
