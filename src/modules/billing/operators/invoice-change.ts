import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { InvoiceNotFound } from '../billing.errors.js';
import { InvoicesService, type WholeInvoice } from '../invoices/invoices.service.js';
import { InvoiceMirror } from '../payments/invoice-mirror.js';
import type { Invoice } from '../persistence/invoice.entity.js';
import { InvoicesStore } from '../persistence/invoices.store.js';

/** Changes finalized invoices one at a time, and passes each change on to the payment provider. */
@Injectable()
export class InvoiceChange {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesStore,
    private readonly shown: InvoicesService,
    private readonly mirror: InvoiceMirror,
  ) {}

  /**
   * Runs `work` in a transaction with the invoice locked, and returns the invoice afterwards.
   *
   * @throws {InvoiceNotFound} `invoice_not_found`
   */
  run(id: string, work: (invoice: Invoice) => Promise<void>): Promise<WholeInvoice> {
    return this.database.transaction(async () => {
      const invoice = await this.invoices.lock(id);
      if (invoice === null) throw new InvoiceNotFound();
      await work(invoice);
      await this.mirror.changed(id);
      return this.shown.whole((await this.invoices.lock(id))!);
    });
  }
}
