import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { BilledOrg } from '../../auth/org-plans.service.js';
import { UsagePeriodsService } from '../../metering/usage-periods.service.js';
import type { BillingPeriod } from '../billing-period.js';
import { ClosedPeriodsStore } from '../persistence/closed-periods.store.js';
import { Invoice } from '../persistence/invoice.entity.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import { PlannedChanges } from '../subscriptions/planned-changes.service.js';
import type { Composition } from './composition.js';
import { DraftInvoice } from './draft-invoice.service.js';
import { InvoiceFinalization } from './invoice-finalization.service.js';

/**
 * Closes a month of an organization, step by step. Each step is a transaction that does nothing when it has been done: a
 * process that dies in between, or two that close the same month, make the same invoice once.
 */
@Injectable()
export class MonthClosing {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesStore,
    private readonly closed: ClosedPeriodsStore,
    private readonly plannedChanges: PlannedChanges,
    private readonly usagePeriods: UsagePeriodsService,
    private readonly drafts: DraftInvoice,
    private readonly finalization: InvoiceFinalization,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @throws {UsageDrifted} when the usage of the month cannot be trusted; it stays open. */
  async close(org: BilledOrg, period: BillingPeriod): Promise<void> {
    await this.plannedChanges.applyOf(org.id);
    await this.freeze(org, period);
    await this.finalize(org, period, await this.draft(org, period));
  }

  /** From here on usage of the period that becomes known belongs to a later one. */
  private freeze(org: BilledOrg, period: BillingPeriod): Promise<void> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      await this.invoices.addUnlessThere(this.newInvoice(org, period));
      const invoice = await this.invoices.lockOf(org.id, period);
      if (invoice === null || invoice.cutoffAt !== null) return;
      await this.usagePeriods.close(org.id, period.from);
      await this.invoices.update(invoice.id, { cutoffAt: now });
    });
  }

  /** Makes the lines, and tells what they are of; where there is nothing to show, the month is closed without an invoice. */
  private draft(org: BilledOrg, period: BillingPeriod): Promise<Composition | undefined> {
    return this.database.transaction(async () => {
      const invoice = await this.invoices.lockOf(org.id, period);
      if (invoice?.state !== 'gathering') return undefined;
      const composition = await this.drafts.compose(org, period);
      const { lines, totalCents } = composition;
      if (lines.length === 0) {
        await this.invoices.delete(invoice.id);
        await this.closed.addOf(org.id, period, { invoiceId: null, at: this.clock.now() });
        return undefined;
      }
      const priced = [];
      for (const line of lines) priced.push(await this.drafts.priced(line));
      await this.invoices.addLines(priced.map((line, index) => ({ ...line, invoiceId: invoice.id, position: index + 1 })));
      await this.invoices.update(invoice.id, { state: 'draft', totalCents, billTo: { name: org.name, slug: org.slug } });
      return composition;
    });
  }

  /** Whoever finds a draft that somebody else has made works out anew what it is of. */
  private finalize(org: BilledOrg, period: BillingPeriod, known: Composition | undefined): Promise<void> {
    return this.database.transaction(async () => {
      const invoice = await this.invoices.lockOf(org.id, period);
      if (invoice?.state !== 'draft') return;
      await this.finalization.finalize(invoice, (known ?? await this.drafts.compose(org, period)).shares);
      await this.closed.addOf(org.id, period, { invoiceId: invoice.id, at: this.clock.now() });
    });
  }

  private newInvoice({ id: orgId, name, slug }: BilledOrg, { from, to }: BillingPeriod): Invoice {
    return Object.assign(new Invoice(), {
      id: this.ids.next('ivc'), orgId, periodFrom: from, periodTo: to, state: 'gathering' as const, number: null, billTo: { name, slug }, issuer: this.config.invoiceIssuer,
      cutoffAt: null, totalCents: null, createdAt: this.clock.now(), finalizedAt: null, dueAt: null, overdueAt: null, paidAt: null, payment: null, voidedAt: null,
    });
  }
}
