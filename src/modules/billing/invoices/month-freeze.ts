import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { UsagePeriodsService } from '../../metering/usage-periods.service.js';
import type { BilledOrg } from '../../orgs/org-plans.js';
import { INVOICE_ID } from '../billing.ids.js';
import { BillingSettings } from '../billing.settings.js';
import type { BillingPeriod } from '../domain/billing-period.js';
import { InvoicesStore } from '../persistence/invoices.store.js';
import { billToOf } from './draft-invoice.js';

/** The first step of closing a month: begins the invoices and closes the usage of the month. */
@Injectable()
export class MonthFreeze {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesStore,
    private readonly usagePeriods: UsagePeriodsService,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly settings: BillingSettings,
  ) {}

  /** Usage of the period that becomes known afterwards belongs to a later one. */
  freeze(orgs: readonly BilledOrg[], period: BillingPeriod): Promise<void> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const begun = orgs.map((org) => ({ id: this.ids.next(INVOICE_ID), orgId: org.id, billTo: billToOf(org) }));
      await this.invoices.begin(begun, { period, issuer: this.settings.invoiceIssuer, at: now });
      const open = (
        await this.invoices.lockOf(
          orgs.map(({ id }) => id),
          period,
        )
      ).filter(({ cutoffAt }) => cutoffAt === null);
      if (open.length === 0) return;
      await this.invoices.cutOff(
        open.map(({ id }) => id),
        now,
      );
      // This comes last, because other transactions may wait for it.
      await this.usagePeriods.close(
        open.map(({ orgId }) => orgId),
        period.from,
      );
    });
  }
}
