import { Injectable } from '@nestjs/common';
import type { BilledOrg } from '../../orgs/org-plans.js';
import type { BillingPeriod } from '../domain/billing-period.js';
import { DuePlanChanges } from '../subscriptions/due-plan-changes.js';
import { DraftInvoice } from './draft-invoice.js';
import { MonthDrafts } from './month-drafts.js';
import { MonthFreeze } from './month-freeze.js';
import type { UsageDrifted } from './usage-of-month.js';

/**
 * Closes a month of a set of organizations, step by step. Each step is a transaction for all of them and skips those
 * that it was done for. So each invoice is created once, even if a process dies between two steps, or two processes
 * close the same month.
 */
@Injectable()
export class MonthCloseBatch {
  constructor(
    private readonly plannedChanges: DuePlanChanges,
    private readonly months: MonthFreeze,
    private readonly drafts: DraftInvoice,
    private readonly monthDrafts: MonthDrafts,
  ) {}

  /**
   * Returns the organizations whose month stays open, because their usage cannot be trusted.
   *
   * @throws the error of the first step that fails for any organization. Earlier steps stay done.
   */
  async close(orgs: readonly BilledOrg[], period: BillingPeriod): Promise<readonly UsageDrifted[]> {
    await this.plannedChanges.applyAmong(orgs.map(({ id }) => id));
    await this.months.freeze(orgs, period);
    await this.drafts.payRest(orgs, period);
    const drafted = await this.monthDrafts.draft(orgs, period);
    const numbered = await this.monthDrafts.number(orgs, period, drafted.compositions);
    return [...drafted.drifted, ...numbered.drifted];
  }
}
