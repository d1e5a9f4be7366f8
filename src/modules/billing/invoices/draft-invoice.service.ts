import { Injectable } from '@nestjs/common';
import type { BilledOrg } from '../../auth/org-plans.service.js';
import { BilledUsageService } from '../../credits/billed-usage.service.js';
import { UnheldUsageService } from '../../credits/unheld-usage.service.js';
import { PricesService } from '../../metering/prices.service.js';
import { type BillingPeriod, wholeSecond } from '../billing-period.js';
import type { InvoiceLine } from '../persistence/invoice-line.entity.js';
import { SubscriptionsStore } from '../persistence/subscriptions.store.js';
import { PLANS } from '../plan.js';
import { baseFeeOf } from '../subscriptions/base-fee.js';
import { compose, type Composition, type LineFacts } from './composition.js';
import { UsageOfMonth } from './usage-of-month.service.js';

/** Works out what a closed month comes to. Asked again it says the same: nothing that it reads of that month changes any more. */
@Injectable()
export class DraftInvoice {
  constructor(
    private readonly subscriptions: SubscriptionsStore,
    private readonly usage: UsageOfMonth,
    private readonly billed: BilledUsageService,
    private readonly unheld: UnheldUsageService,
    private readonly prices: PricesService,
  ) {}

  /** @throws {UsageDrifted} when the usage of the month cannot be trusted. */
  async compose(org: BilledOrg, period: BillingPeriod): Promise<Composition> {
    const changes = await this.subscriptions.changesBefore(org.id, period.to);
    const isBilledForUsage = PLANS[changes.at(-1)?.toPlan ?? org.plan].billsUsage;
    // What the last seconds of the month have left.
    await this.unheld.pay(org.id, isBilledForUsage);
    return compose({
      period,
      segments: baseFeeOf(period, changes, org.deletedAt === null ? null : wholeSecond(org.deletedAt)),
      totals: await this.usage.of(org.id, period),
      paid: await this.billed.of(org.id, period.from, period.to),
      isBilledForUsage,
    });
  }

  /** The line with what one unit costs, for whoever reads it; the amount is there already. */
  async priced(line: LineFacts): Promise<Omit<InvoiceLine, 'invoiceId' | 'position'>> {
    const price = line.priceVersion === null ? undefined : await this.prices.find(line.priceVersion);
    return { ...line, priceNano: price?.priceNano ?? null, pricedPer: price?.per ?? null };
  }
}
