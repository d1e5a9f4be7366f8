import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { LedgerEntry } from '../../credits/ledger-transaction.js';
import { LedgerService } from '../../credits/ledger.service.js';
import { BillingMetrics } from '../billing.metrics.js';
import { InvoiceMirror } from '../payments/invoice-mirror.service.js';
import { NANO_PER_CENT } from '../cents.js';
import type { Invoice } from '../persistence/invoice.entity.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import type { Shares } from './composition.js';

const DUE_AFTER_MS = 14 * 86_400_000;

/** Gives a draft its number, and enters it in the books. From then on it never changes. */
@Injectable()
export class InvoiceFinalization {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesStore,
    private readonly ledger: LedgerService,
    private readonly mirror: InvoiceMirror,
    private readonly metrics: BillingMetrics,
    private readonly clock: Clock,
  ) {}

  /** With the running transaction, in which the invoice is locked. */
  async finalize(invoice: Invoice, shares: Shares): Promise<void> {
    const now = this.clock.now();
    await this.enter(invoice, shares, now);
    await this.mirror.changed(invoice.id);
    const isNothing = invoice.totalCents === 0n;
    // Last: until the commit nobody else is given a number.
    const number = await this.invoices.nextNumber('invoice');
    await this.invoices.update(invoice.id, {
      number, finalizedAt: now, dueAt: new Date(now.getTime() + DUE_AFTER_MS),
      ...(isNothing ? { state: 'paid', paidAt: now, payment: 'Nothing was due' } : { state: 'finalized' }),
    });
    await this.database.afterCommit(() => {
      this.metrics.finalized();
      return Promise.resolve();
    });
  }

  private async enter({ id, orgId, totalCents }: Invoice, { billedNano, earnedNano, lostNano, roundingNano }: Shares, at: Date): Promise<void> {
    const entries: LedgerEntry[] = [
      { account: 'invoiced', amountNano: totalCents! * NANO_PER_CENT, orgId },
      { account: 'platform_loss', amountNano: lostNano, orgId: null },
      { account: 'usage_receivable', amountNano: -billedNano, orgId },
      { account: 'revenue', amountNano: -(earnedNano + lostNano), orgId: null },
      { account: 'rounding', amountNano: -roundingNano, orgId: null },
    ];
    const moved = entries.filter(({ amountNano }) => amountNano !== 0n);
    if (moved.length > 0) await this.ledger.post({ key: `invoice:${id}`, kind: 'invoice', orgId, at, entries: moved });
  }
}
