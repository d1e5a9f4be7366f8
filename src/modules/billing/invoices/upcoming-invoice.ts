import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { BilledUsageService } from '../../credits/billed-usage.service.js';
import { UsageTotalsService } from '../../metering/usage-totals.service.js';
import { type BillingPeriod, periodOf } from '../domain/billing-period.js';
import type { InvoiceLine } from '../persistence/invoice-line.entity.js';
import { SubscriptionsStore } from '../persistence/subscriptions.store.js';
import { type PlanId, PLANS } from '../../plans/plan.js';
import { baseFeeOf } from '../subscriptions/base-fee.js';
import { compose } from './composition.js';
import { DraftInvoice } from './draft-invoice.js';

export interface UpcomingInvoice {
  readonly orgId: string;
  readonly period: BillingPeriod;
  /** Later usage and changes are not included. */
  readonly asOf: Date;
  readonly lines: readonly Omit<InvoiceLine, 'invoiceId' | 'position'>[];
  readonly totalCents: bigint;
}

/** Previews the invoice of the current month as if nothing more were used. */
@Injectable()
export class UpcomingInvoices {
  constructor(
    private readonly subscriptions: SubscriptionsStore,
    private readonly totals: UsageTotalsService,
    private readonly billed: BilledUsageService,
    private readonly drafts: DraftInvoice,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts the plan to the end of the month and usage until now. Reported usage may lag by some seconds until credits
   * have paid for it.
   */
  async of({ id: orgId, plan }: { readonly id: string; readonly plan: PlanId }): Promise<UpcomingInvoice> {
    const asOf = this.clock.now();
    const period = periodOf(asOf);
    const segments = baseFeeOf(period, await this.subscriptions.changesBefore(orgId, period.to));
    // The order matters: usage may arrive in between, and what was paid for must be a part of what was used.
    const paid = await this.billed.of(orgId, period.from, period.to);
    const totals = await this.totals.totals(orgId, period.from, period.to);
    const { lines, totalCents } = compose({ period, segments, totals, paid, isBilledForUsage: PLANS[plan].billsUsage });
    return { orgId, period, asOf, lines: await this.drafts.priced(lines), totalCents };
  }
}
