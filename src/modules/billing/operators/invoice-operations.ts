import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgEvents } from '../../events/org-events.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { LedgerService } from '../../credits/ledger.service.js';
import { CreditTooLarge, InvoiceClosed } from '../billing.errors.js';
import { CREDIT_NOTE_ID } from '../billing.ids.js';
import { NANO_PER_CENT } from '../domain/cents.js';
import { isOpen } from '../invoices/invoice-state.js';
import { dueCentsOf, type WholeInvoice } from '../invoices/invoices.service.js';
import type { CreditNote } from '../persistence/credit-note.entity.js';
import type { Invoice } from '../persistence/invoice.entity.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import { InvoiceChange } from './invoice-change.js';

export interface Payment {
  /** How it was paid, for later reference. */
  readonly payment: string;
  readonly by: 'operator' | 'provider';
}

export interface Correction {
  readonly amountCents: bigint;
  readonly reason: string;
  /** A key creates one credit note. */
  readonly key: string;
}

/**
 * Marks finalized invoices as paid, voids and corrects them. Each change is entered in the ledger and in the audit log
 * of the organization.
 */
@Injectable()
export class InvoiceOperations {
  constructor(
    private readonly changes: InvoiceChange,
    private readonly invoices: InvoicesStore,
    private readonly ledger: LedgerService,
    private readonly owners: OrgDirectory,
    private readonly events: OrgEvents,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Marks an invoice as paid. A paid invoice stays unchanged.
   *
   * @throws {InvoiceNotFound} `invoice_not_found`
   * @throws {InvoiceClosed} `invoice_closed`: the invoice is void.
   */
  markPaid(id: string, { payment, by }: Payment): Promise<WholeInvoice> {
    return this.changes.run(id, async (invoice) => {
      if (invoice.state === 'paid') return;
      if (!isOpen(invoice.state)) throw new InvoiceClosed(invoice.state);
      const dueNano = dueCentsOf(invoice, await this.invoices.creditNotesOf(id)) * NANO_PER_CENT;
      await this.pay(invoice, payment);
      await this.ledger.post({
        key: `payment:${id}`,
        kind: 'payment',
        orgId: invoice.orgId,
        at: this.clock.now(),
        details: { payment },
        entries: [
          { account: 'cash', amountNano: dueNano, orgId: null },
          { account: 'invoiced', amountNano: -dueNano, orgId: invoice.orgId },
        ],
      });
      await this.record('invoice.paid', invoice, { by, payment });
    });
  }

  /**
   * Voids an open invoice, so that nothing of it is owed any more.
   *
   * @throws {InvoiceNotFound} `invoice_not_found`
   * @throws {InvoiceClosed} `invoice_closed`: the invoice is paid.
   */
  void(id: string, reason: string): Promise<WholeInvoice> {
    return this.changes.run(id, async (invoice) => {
      if (invoice.state === 'void') return;
      if (!isOpen(invoice.state)) throw new InvoiceClosed(invoice.state);
      await this.credit(invoice, {
        amountCents: dueCentsOf(invoice, await this.invoices.creditNotesOf(id)),
        reason,
        key: 'void',
      });
      await this.invoices.update(id, { state: 'void', voidedAt: this.clock.now() });
      await this.record('invoice.voided', invoice, { by: 'operator', reason });
    });
  }

  /**
   * Corrects an invoice with a credit note. It reduces what is due, and what was already paid is owed back to the
   * organization.
   *
   * @throws {InvoiceNotFound} `invoice_not_found`
   * @throws {InvoiceClosed} `invoice_closed`: the invoice is void.
   * @throws {CreditTooLarge} `credit_too_large`: more than is left of the invoice.
   */
  correct(id: string, correction: Correction): Promise<WholeInvoice> {
    return this.changes.run(id, async (invoice) => {
      const notes = await this.invoices.creditNotesOf(id);
      if (notes.some(({ key }) => key === correction.key)) return;
      if (invoice.state === 'void') throw new InvoiceClosed(invoice.state);
      const leftCents = notes.reduce((left, { amountCents }) => left - amountCents, invoice.totalCents!);
      if (correction.amountCents > leftCents) throw new CreditTooLarge(leftCents);
      const note = await this.credit(invoice, correction);
      if (isOpen(invoice.state) && correction.amountCents === leftCents)
        await this.pay(invoice, `Credit note ${note.id}`);
      await this.record('invoice.corrected', invoice, {
        by: 'operator',
        credit_note: note.id,
        reason: correction.reason,
      });
    });
  }

  private async pay({ id }: Invoice, payment: string): Promise<void> {
    await this.invoices.update(id, { state: 'paid', paidAt: this.clock.now(), payment });
  }

  private async credit(
    { id: invoiceId, orgId }: Invoice,
    { amountCents, reason, key }: Correction,
  ): Promise<CreditNote> {
    const at = this.clock.now();
    const note: CreditNote = {
      id: this.ids.next(CREDIT_NOTE_ID),
      key,
      invoiceId,
      amountCents,
      reason,
      createdAt: at,
      number: await this.invoices.nextNumber('credit_note'),
    };
    await this.invoices.addCreditNote(note);
    const amountNano = amountCents * NANO_PER_CENT;
    await this.ledger.post({
      key: `credit_note:${note.id}`,
      kind: 'credit_note',
      orgId,
      at,
      details: { invoice: invoiceId },
      entries: [
        { account: 'revenue', amountNano, orgId: null },
        { account: 'invoiced', amountNano: -amountNano, orgId },
      ],
    });
    return note;
  }

  private async record(
    action: 'invoice.paid' | 'invoice.voided' | 'invoice.corrected',
    { id, orgId }: Invoice,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.owners.record({ orgId, action, target: { type: 'invoice', id }, details }, undefined);
    await this.events.publish({ orgId, type: action, data: { invoice_id: id } });
  }
}
