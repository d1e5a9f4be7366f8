import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import { OrgPlans } from '../auth/org-plans.service.js';
import { PLANS } from '../billing/plan.js';
import { monthOf } from '../metering/month.js';
import { UnpaidUsageService, type UnpaidCost } from '../metering/unpaid-usage.service.js';
import { CreditsMetrics } from './credits.metrics.js';
import { PursesService } from './purse/purses.service.js';

const BATCH = 200;

/**
 * Pays for what was used without anything having been held for it: by credits first, and then, where usage is billed, by
 * what is billed up to the spend cap. What neither covers was used all the same, and is the platform's loss.
 */
@Injectable()
export class UnheldUsageService {
  constructor(
    private readonly database: Database,
    private readonly unpaid: UnpaidUsageService,
    private readonly purses: PursesService,
    private readonly plans: OrgPlans,
    private readonly metrics: CreditsMetrics,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** For every organization that has some, each in a transaction of its own. */
  async payAll(): Promise<void> {
    for (let after = '', orgIds: string[]; ; after = orgIds.at(-1)!) {
      orgIds = await this.unpaid.organizations(after, BATCH);
      if (orgIds.length === 0) return;
      for (const orgId of orgIds) {
        const org = await this.plans.find(orgId);
        if (org !== null) await this.pay(orgId, PLANS[org.plan].billsUsage);
      }
    }
  }

  /** All of one organization, with the running transaction if there is one. Once, whoever else does. */
  pay(orgId: string, isBilled: boolean): Promise<void> {
    return this.database.transaction(async () => {
      const costs = (await this.unpaid.take(orgId)).filter(({ costNano }) => costNano > 0n);
      if (costs.length === 0) return;
      const now = this.clock.now();
      const paid = await this.purses.change({ orgIds: [orgId] }, (session) => {
        // One that was deleted before it had an account has no credits either: its invoice shows what it used.
        if (!session.has(orgId)) return [];
        return costs.map((cost) => session.charge({
          key: `unheld:${this.ids.next('ltx')}`, orgId, meter: cost.meter, model: cost.model, costNano: cost.costNano, postpaid: isBilled, at: now, occurredAt: within(cost, now),
        }));
      });
      await this.database.afterCommit(() => {
        for (const hold of paid) this.metrics.ended(hold);
        return Promise.resolve();
      });
    });
  }
}

/** A moment of the month that it is billed in: now, or the last one of it. */
function within({ month }: UnpaidCost, now: Date): Date {
  const last = new Date(monthOf(month).end.getTime() - 1);
  return now < month ? month : now > last ? last : now;
}
