import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { BilledOrg } from '../../orgs/org-plans.js';
import type { BillingPeriod } from '../domain/billing-period.js';
import { ClosedPeriodsStore } from '../persistence/closed-periods.store.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import type { Composition } from './composition.js';
import { billToOf, type Composed, DraftInvoice, NOTHING_COMPOSED } from './draft-invoice.js';
import { InvoiceFinalization } from './invoice-finalization.js';

/** The last steps of closing a month: drafts its invoices, then numbers them. */
@Injectable()
export class MonthDrafts {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesStore,
    private readonly closed: ClosedPeriodsStore,
    private readonly drafts: DraftInvoice,
    private readonly finalization: InvoiceFinalization,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds the lines and returns their compositions. If there is nothing to show, the month is closed without an invoice.
   */
  draft(orgs: readonly BilledOrg[], period: BillingPeriod): Promise<Composed> {
    return this.database.transaction(async () => {
      const gathering = new Map(
        (
          await this.invoices.lockOf(
            orgs.map(({ id }) => id),
            period,
          )
        )
          .filter(({ state }) => state === 'gathering')
          .map(({ id, orgId }) => [orgId, id]),
      );
      if (gathering.size === 0) return NOTHING_COMPOSED;
      const composed = await this.drafts.compose(
        orgs.filter(({ id }) => gathering.has(id)),
        period,
      );
      const drafts = [];
      const empty = [];
      for (const org of orgs) {
        const [id, composition] = [gathering.get(org.id), composed.compositions.get(org.id)];
        if (id === undefined || composition === undefined) continue;
        const { lines, totalCents } = composition;
        if (lines.length === 0) empty.push({ id, orgId: org.id, invoiceId: null });
        else drafts.push({ id, totalCents, billTo: billToOf(org), lines: await this.drafts.priced(lines) });
      }
      await this.invoices.delete(empty.map(({ id }) => id));
      await this.closed.addOf(empty, period, this.clock.now());
      await this.invoices.draft(drafts);
      return composed;
    });
  }

  /** Numbers the drafts. Drafts that another process created are composed again, to know their shares. */
  number(
    orgs: readonly BilledOrg[],
    period: BillingPeriod,
    known: ReadonlyMap<string, Composition>,
  ): Promise<Composed> {
    return this.database.transaction(async () => {
      const found = (
        await this.invoices.lockOf(
          orgs.map(({ id }) => id),
          period,
        )
      ).filter(({ state }) => state === 'draft');
      const unknown = new Set(found.filter(({ orgId }) => !known.has(orgId)).map(({ orgId }) => orgId));
      const recomposed =
        unknown.size === 0
          ? NOTHING_COMPOSED
          : await this.drafts.compose(
              orgs.filter(({ id }) => unknown.has(id)),
              period,
            );
      const drafts = found.flatMap((invoice) => {
        const composition = known.get(invoice.orgId) ?? recomposed.compositions.get(invoice.orgId);
        return composition === undefined ? [] : [{ invoice, shares: composition.shares }];
      });
      if (drafts.length === 0) return recomposed;
      await this.closed.addOf(
        drafts.map(({ invoice: { id, orgId } }) => ({ orgId, invoiceId: id })),
        period,
        this.clock.now(),
      );
      await this.finalization.finalize(drafts);
      return recomposed;
    });
  }
}
