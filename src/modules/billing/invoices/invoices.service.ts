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

/** An invoice with its lines and credit notes. */
export interface WholeInvoice {
  readonly invoice: Invoice;
  readonly lines: readonly InvoiceLine[];
  readonly creditNotes: readonly CreditNote[];
  /** The amount that is still to be paid. */
  readonly dueCents: bigint;
}

@Injectable()
export class InvoicesService {
  constructor(private readonly invoices: InvoicesStore) {}

  /** Lists the numbered invoices of the calling organization, the newest first. */
  list({ org }: Call, page: PageRequest): Promise<Page<Invoice>> {
    return this.invoices.list(org.id, page);
  }

  /**
   * Returns an invoice to a caller who may read the billing of its organization.
   *
   * @throws {InvoiceNotFound} `invoice_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string): Promise<WholeInvoice> {
    const invoice = await this.invoices.find(id, principal.lookupOrgIds);
    if (invoice === null) throw new InvoiceNotFound();
    principal.require('billing:read', invoice.orgId);
    return this.whole(invoice);
  }

  /** Returns the latest numbered invoices of an organization, for operators, the newest first. */
  async latestOf(orgId: string, limit: number): Promise<WholeInvoice[]> {
    const { items } = await this.invoices.list(orgId, { limit, after: undefined });
    return Promise.all(items.map((invoice) => this.whole(invoice)));
  }

  /** Adds the lines and credit notes of an invoice. */
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

/** Returns the amount that is still to be paid. */
export const dueCentsOf = ({ state, totalCents }: Invoice, notes: readonly CreditNote[]): bigint =>
  isOpen(state) ? notes.reduce((due, { amountCents }) => due - amountCents, totalCents!) : 0n;
