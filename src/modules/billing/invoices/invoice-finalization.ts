import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { LedgerEntry, LedgerTransaction } from '../../credits/ledger-transaction.js';
import { LedgerService } from '../../credits/ledger.service.js';
import { OrgEvents } from '../../events/org-events.js';
import { BillingMetrics } from '../metrics/billing.metrics.js';
import { InvoiceMirror } from '../payments/invoice-mirror.js';
import { NANO_PER_CENT } from '../domain/cents.js';
import type { Invoice } from '../persistence/invoice.entity.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import type { Shares } from './composition.js';

const DUE_AFTER_MS = 14 * 86_400_000;

/** A draft with the shares that go to the ledger accounts. */
interface SharedDraft {
  readonly invoice: Invoice;
  readonly shares: Shares;
}

/** Numbers drafts and enters them in the ledger. They never change afterwards. */
@Injectable()
export class InvoiceFinalization {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesStore,
    private readonly ledger: LedgerService,
    private readonly mirror: InvoiceMirror,
    private readonly events: OrgEvents,
    private readonly metrics: BillingMetrics,
    private readonly clock: Clock,
  ) {}

  /** Joins the running transaction, which has locked the invoices. */
  async finalize(drafts: readonly SharedDraft[]): Promise<void> {
    const now = this.clock.now();
    await this.ledger.postAll(
      drafts.map((draft) => ledgerTransactionOf(draft, now)).filter(({ entries }) => entries.length > 0),
    );
    await this.mirror.changed(...drafts.map(({ invoice: { id } }) => id));
    // Numbering comes last, because no other transaction gets a number until the commit.
    await this.invoices.number(
      drafts.map(({ invoice: { id, totalCents } }) => ({ id, isNothing: totalCents === 0n })),
      { at: now, dueAt: new Date(now.getTime() + DUE_AFTER_MS) },
    );
    await this.events.publish(
      ...drafts
        .filter(({ invoice: { totalCents } }) => totalCents !== 0n)
        .map(({ invoice: { id, orgId } }) => {
          return { orgId, type: 'invoice.finalized', data: { invoice_id: id } } as const;
        }),
    );
    await this.database.afterCommit(() => {
      this.metrics.finalized(drafts.length);
      return Promise.resolve();
    });
  }
}

function ledgerTransactionOf(
  { invoice: { id, orgId, totalCents }, shares: { billedNano, earnedNano, lostNano, roundingNano } }: SharedDraft,
  at: Date,
): LedgerTransaction {
  const entries: LedgerEntry[] = [
    { account: 'invoiced', amountNano: totalCents! * NANO_PER_CENT, orgId },
    { account: 'platform_loss', amountNano: lostNano, orgId: null },
    { account: 'usage_receivable', amountNano: -billedNano, orgId },
    { account: 'revenue', amountNano: -(earnedNano + lostNano), orgId: null },
    { account: 'rounding', amountNano: -roundingNano, orgId: null },
  ];
  return {
    key: `invoice:${id}`,
    kind: 'invoice',
    orgId,
    at,
    entries: entries.filter(({ amountNano }) => amountNano !== 0n),
  };
}
