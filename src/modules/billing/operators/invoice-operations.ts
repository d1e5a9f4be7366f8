import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { LedgerService } from '../../credits/ledger.service.js';
import { CreditTooLarge, InvoiceClosed, InvoiceNotFound } from '../billing.errors.js';
import { CREDIT_NOTE_ID } from '../billing.ids.js';
import { NANO_PER_CENT } from '../domain/cents.js';
import { isOpen } from '../invoices/invoice-state.js';
import { dueCentsOf, InvoicesService, type WholeInvoice } from '../invoices/invoices.service.js';
import { InvoiceMirror } from '../payments/invoice-mirror.js';
import type { CreditNote } from '../persistence/credit-note.entity.js';
import type { Invoice } from '../persistence/invoice.entity.js';
import { InvoicesStore } from '../persistence/invoices.store.js';

export interface Payment {
  /** By what, for whoever asks later. */
  readonly payment: string;
  readonly by: 'operator' | 'provider';
}

export interface Correction {
  readonly amountCents: bigint;
  readonly reason: string;
  /** The same key corrects once. */
  readonly key: string;
}

/**
 * What becomes of finalized invoices: paid, corrected, void. Each is entered in the books and in the audit log of the
 * organization.
 */
@Injectable()
export class InvoiceOperations {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesStore,
    private readonly shown: InvoicesService,
    private readonly mirror: InvoiceMirror,
    private readonly ledger: LedgerService,
    private readonly owners: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * What is due of it has been paid; nothing more happens to one that is paid.
   *
   * @throws {InvoiceNotFound} `invoice_not_found`
   * @throws {InvoiceClosed} `invoice_closed`: it is void.
   */
  markPaid(id: string, { payment, by }: Payment): Promise<WholeInvoice> {
    return this.change(id, async (invoice) => {
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
   * Takes an open invoice back as a whole: nothing of it is owed any more.
   *
   * @throws {InvoiceNotFound} `invoice_not_found`
   * @throws {InvoiceClosed} `invoice_closed`: it is paid.
   */
  void(id: string, reason: string): Promise<WholeInvoice> {
    return this.change(id, async (invoice) => {
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
   * Corrects an invoice by a credit note. What is due becomes less; what was paid already is owed back to the
   * organization.
   *
   * @throws {InvoiceNotFound} `invoice_not_found`
   * @throws {InvoiceClosed} `invoice_closed`: it is void.
   * @throws {CreditTooLarge} `credit_too_large`: more than is left of the invoice.
   */
  correct(id: string, correction: Correction): Promise<WholeInvoice> {
    return this.change(id, async (invoice) => {
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

  private change(id: string, change: (invoice: Invoice) => Promise<void>): Promise<WholeInvoice> {
    return this.database.transaction(async () => {
      const invoice = await this.invoices.lock(id);
      if (invoice === null) throw new InvoiceNotFound();
      await change(invoice);
      await this.mirror.changed(id);
      return this.shown.whole((await this.invoices.lock(id))!);
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

  private record(
    action: `invoice.${string}`,
    { id, orgId }: Invoice,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.owners.record({ orgId, action, target: { type: 'invoice', id }, details }, undefined);
  }
}
