import { Injectable } from '@nestjs/common';
import { BillingSettings } from '../billing.settings.js';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { BilledOrg } from '../../orgs/org-plans.js';
import { UsagePeriodsService } from '../../metering/usage-periods.service.js';
import type { BillingPeriod } from '../domain/billing-period.js';
import { INVOICE_ID } from '../billing.ids.js';
import { ClosedPeriodsStore } from '../persistence/closed-periods.store.js';
import type { Invoice } from '../persistence/invoice.entity.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import { DuePlanChanges } from '../subscriptions/due-plan-changes.js';
import type { Composition } from './composition.js';
import { type Composed, DraftInvoice } from './draft-invoice.js';
import { InvoiceFinalization } from './invoice-finalization.js';
import type { UsageDrifted } from './usage-of-month.js';

/**
 * Closes a month of a set of organizations, step by step. Each step is a transaction for all of them, which passes over
 * those for which it has been done: a process that dies in between, or two that close the same month, make each invoice
 * once.
 */
@Injectable()
export class MonthCloseBatch {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesStore,
    private readonly closed: ClosedPeriodsStore,
    private readonly plannedChanges: DuePlanChanges,
    private readonly usagePeriods: UsagePeriodsService,
    private readonly drafts: DraftInvoice,
    private readonly finalization: InvoiceFinalization,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly settings: BillingSettings,
  ) {}

  /**
   * Says for which of them it has not been closed, because their usage of the month cannot be trusted; it stays open.
   *
   * @throws what keeps a step from being done, for any of them: whatever step was done before stays done.
   */
  async close(orgs: readonly BilledOrg[], period: BillingPeriod): Promise<readonly UsageDrifted[]> {
    await this.plannedChanges.applyAmong(orgs.map(({ id }) => id));
    await this.freeze(orgs, period);
    await this.drafts.payRest(orgs, period);
    const drafted = await this.draft(orgs, period);
    const numbered = await this.number(orgs, period, drafted.compositions);
    return [...drafted.drifted, ...numbered.drifted];
  }

  /** From here on usage of the period that becomes known belongs to a later one. */
  private freeze(orgs: readonly BilledOrg[], period: BillingPeriod): Promise<void> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const begun = orgs.map((org) => ({ id: this.ids.next(INVOICE_ID), orgId: org.id, billTo: billToOf(org) }));
      await this.invoices.begin(begun, { period, issuer: this.settings.invoiceIssuer, at: now });
      const open = (await this.lockOf(orgs, period)).filter(({ cutoffAt }) => cutoffAt === null);
      if (open.length === 0) return;
      await this.invoices.cutOff(
        open.map(({ id }) => id),
        now,
      );
      // Last: others may wait for it.
      await this.usagePeriods.close(
        open.map(({ orgId }) => orgId),
        period.from,
      );
    });
  }

  /**
   * Makes the lines, and tells what they are of; where there is nothing to show, the month is closed without an
   * invoice.
   */
  private draft(orgs: readonly BilledOrg[], period: BillingPeriod): Promise<Composed> {
    return this.database.transaction(async () => {
      const gathering = new Map(
        (await this.lockOf(orgs, period))
          .filter(({ state }) => state === 'gathering')
          .map(({ id, orgId }) => [orgId, id]),
      );
      if (gathering.size === 0) return NOTHING;
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

  /** Whoever finds drafts that somebody else has made works out anew what they are of. */
  private number(
    orgs: readonly BilledOrg[],
    period: BillingPeriod,
    known: ReadonlyMap<string, Composition>,
  ): Promise<Composed> {
    return this.database.transaction(async () => {
      const found = (await this.lockOf(orgs, period)).filter(({ state }) => state === 'draft');
      const unknown = new Set(found.filter(({ orgId }) => !known.has(orgId)).map(({ orgId }) => orgId));
      const anew =
        unknown.size === 0
          ? NOTHING
          : await this.drafts.compose(
              orgs.filter(({ id }) => unknown.has(id)),
              period,
            );
      const drafts = found.flatMap((invoice) => {
        const composition = known.get(invoice.orgId) ?? anew.compositions.get(invoice.orgId);
        return composition === undefined ? [] : [{ invoice, shares: composition.shares }];
      });
      if (drafts.length === 0) return anew;
      await this.closed.addOf(
        drafts.map(({ invoice: { id, orgId } }) => ({ orgId, invoiceId: id })),
        period,
        this.clock.now(),
      );
      await this.finalization.finalize(drafts);
      return anew;
    });
  }

  private lockOf(orgs: readonly BilledOrg[], period: BillingPeriod): Promise<Invoice[]> {
    return this.invoices.lockOf(
      orgs.map(({ id }) => id),
      period,
    );
  }
}

const NOTHING: Composed = { compositions: new Map(), drifted: [] };

const billToOf = ({ name, slug }: BilledOrg): Invoice['billTo'] => ({ name, slug });
