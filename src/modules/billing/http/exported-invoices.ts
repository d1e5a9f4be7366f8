import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { InvoiceView } from './invoices.dto.js';

/** The invoices of the personal organization, with their lines. */
@Injectable()
@ExportedAs('invoice')
export class ExportedInvoices implements PersonalDataSource {
  constructor(private readonly invoices: InvoicesService) {}

  async *read(call: Call): AsyncIterable<InvoiceView[]> {
    for await (const invoices of allPages((page) => this.invoices.list(call, page)))
      for (const invoice of invoices) yield [InvoiceView.ofWhole(await this.invoices.whole(invoice))];
  }
}
