import { Injectable } from '@nestjs/common';
import type { BilledOrg } from '../../orgs/org-plans.js';
import { BilledUsageService } from '../../credits/billed-usage.service.js';
import { UnheldUsageService } from '../../credits/unheld-usage.service.js';
import { PricesService } from '../../metering/prices.service.js';
import { UnpaidUsageService } from '../../metering/unpaid-usage.service.js';
import { type BillingPeriod, wholeSecond } from '../domain/billing-period.js';
import type { Invoice } from '../persistence/invoice.entity.js';
import type { InvoiceLine } from '../persistence/invoice-line.entity.js';
import type { PlanChange } from '../persistence/plan-change.entity.js';
import { SubscriptionsStore } from '../persistence/subscriptions.store.js';
import { PLANS } from '../../plans/plan.js';
import { baseFeeOf } from '../subscriptions/base-fee.js';
import { compose, type Composition, type LineFacts } from './composition.js';
import { type UsageDrifted, UsageOfMonth } from './usage-of-month.js';

export interface Composed {
  /** The compositions by organization id. */
  readonly compositions: ReadonlyMap<string, Composition>;
  /** Organizations whose usage of the month cannot be trusted. */
  readonly drifted: readonly UsageDrifted[];
}

export const NOTHING_COMPOSED: Composed = { compositions: new Map(), drifted: [] };

export const billToOf = ({ name, slug }: BilledOrg): Invoice['billTo'] => ({ name, slug });

/** How many accounts are locked at once. Other work of these organizations waits meanwhile. */
const PAID_AT_ONCE = 100;

/**
 * Calculates the invoice of a closed month. It is repeatable, because nothing that it reads of the month changes any
 * more.
 */
@Injectable()
export class DraftInvoice {
  constructor(
    private readonly subscriptions: SubscriptionsStore,
    private readonly usage: UsageOfMonth,
    private readonly billed: BilledUsageService,
    private readonly unpaid: UnpaidUsageService,
    private readonly unheld: UnheldUsageService,
    private readonly prices: PricesService,
  ) {}

  /** Pays for usage of the last seconds of the month. {@link compose} needs to know who pays for it. */
  async payRest(orgs: readonly BilledOrg[], period: BillingPeriod): Promise<void> {
    const owing = new Set(await this.unpaid.among(orgs.map(({ id }) => id)));
    const owe = orgs.filter(({ id }) => owing.has(id));
    for (let place = 0; place < owe.length; place += PAID_AT_ONCE) {
      const some = owe.slice(place, place + PAID_AT_ONCE);
      const changes = await this.subscriptions.changesOf(
        some.map(({ id }) => id),
        period.to,
      );
      await this.unheld.pay(new Map(some.map((org) => [org.id, isBilledForUsage(org, changes.get(org.id))])));
    }
  }

  async compose(orgs: readonly BilledOrg[], period: BillingPeriod): Promise<Composed> {
    const orgIds = orgs.map(({ id }) => id);
    const changes = await this.subscriptions.changesOf(orgIds, period.to);
    const { totals, drifted } = await this.usage.of(orgIds, period);
    const paid = await this.billed.ofAll(orgIds, period.from, period.to);
    const compositions = new Map(
      orgs
        .filter(({ id }) => totals.has(id))
        .map((org) => [
          org.id,
          compose({
            period,
            segments: baseFeeOf(
              period,
              changes.get(org.id) ?? [],
              org.deletedAt === null ? null : wholeSecond(org.deletedAt),
            ),
            totals: totals.get(org.id)!,
            paid: paid.get(org.id)!,
            isBilledForUsage: isBilledForUsage(org, changes.get(org.id)),
          }),
        ]),
    );
    return { compositions, drifted };
  }

  /** Adds unit prices to the lines for readers. The amounts are final already. */
  async priced(lines: readonly LineFacts[]): Promise<Omit<InvoiceLine, 'invoiceId' | 'position'>[]> {
    const priced = [];
    for (const line of lines) {
      const price = line.priceVersion === null ? undefined : await this.prices.find(line.priceVersion);
      priced.push({ ...line, priceNano: price?.priceNano ?? null, pricedPer: price?.per ?? null });
    }
    return priced;
  }
}

/** Billing follows the plan at the end of the period. */
const isBilledForUsage = (org: BilledOrg, changes: readonly PlanChange[] = []): boolean =>
  PLANS[changes.at(-1)?.toPlan ?? org.plan].billsUsage;
