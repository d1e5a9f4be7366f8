import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { allPages, PersonalData, type PersonalDataSource } from '../../auth/personal-data.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { InvoiceView } from './invoices.dto.js';

/** The invoices of the personal organization, with their lines. */
@Injectable()
export class ExportedInvoices implements PersonalDataSource, OnApplicationBootstrap {
  readonly type = 'invoice';

  constructor(
    private readonly data: PersonalData,
    private readonly invoices: InvoicesService,
  ) {}

  onApplicationBootstrap(): void {
    this.data.add(this);
  }

  async *read(call: Call): AsyncIterable<InvoiceView[]> {
    for await (const invoices of allPages((page) => this.invoices.list(call, page)))
      for (const invoice of invoices) yield [InvoiceView.ofWhole(await this.invoices.whole(invoice))];
  }
}
