import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import { InvoiceNotFound } from '../billing.errors.js';
import type { CreditNote } from '../persistence/credit-note.entity.js';
import type { InvoiceLine } from '../persistence/invoice-line.entity.js';
import type { Invoice } from '../persistence/invoice.entity.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import { isOpen } from './invoice-state.js';

export type { CreditNote, Invoice, InvoiceLine };

/** An invoice with all that is on it, and what has corrected it since. */
export interface WholeInvoice {
  readonly invoice: Invoice;
  readonly lines: readonly InvoiceLine[];
  readonly creditNotes: readonly CreditNote[];
  /** Still to be paid. */
  readonly dueCents: bigint;
}

@Injectable()
export class InvoicesService {
  constructor(private readonly invoices: InvoicesStore) {}

  /** Those of the organization of the call that have a number, the newest first. */
  list({ org }: Call, page: PageRequest): Promise<Page<Invoice>> {
    return this.invoices.list(org.id, page);
  }

  /**
   * For somebody who may read the bills of its organization.
   *
   * @throws {InvoiceNotFound} `invoice_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string): Promise<WholeInvoice> {
    const invoice = await this.invoices.find(id, principal.orgIds);
    if (invoice === null) throw new InvoiceNotFound();
    principal.require('billing:read', invoice.orgId);
    return this.whole(invoice);
  }

  /** With its lines and corrections. */
  async whole(invoice: Invoice): Promise<WholeInvoice> {
    const creditNotes = await this.invoices.creditNotesOf(invoice.id);
    return {
      invoice,
      lines: await this.invoices.linesOf(invoice.id),
      creditNotes,
      dueCents: dueCentsOf(invoice, creditNotes),
    };
  }
}

/** What is still to be paid of an invoice. */
export const dueCentsOf = ({ state, totalCents }: Invoice, notes: readonly CreditNote[]): bigint =>
  isOpen(state) ? notes.reduce((due, { amountCents }) => due - amountCents, totalCents!) : 0n;
