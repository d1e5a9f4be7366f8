import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { batchesOf } from '../../platform/database/in-batches.js';
import { Ids } from '../../platform/ids/ids.js';
import { Log } from '../../platform/logging/log.js';
import { Clock } from '../../platform/time/clock.js';
import { OrgPlans } from '../orgs/org-plans.js';
import { PLANS } from '../plans/plan.js';
import { monthOf } from '../metering/month.js';
import { UnpaidUsageService, type UnpaidCost } from '../metering/unpaid-usage.service.js';
import { LEDGER_ENTRY_ID } from './credits.ids.js';
import { CreditsMetrics } from './metrics/credits.metrics.js';
import { PursesService } from './purse/purses.service.js';

/** Whose accounts are locked at once: for a moment, as others want to spend meanwhile. */
const BATCH = 100;

/**
 * Pays for what was used without anything having been held for it: by credits first, and then, where usage is billed,
 * by what is billed up to the spend cap. What neither covers was used all the same, and is the platform's loss.
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
    private readonly log: Log,
  ) {}

  /**
   * For every organization that has some, so many in a transaction. What cannot be paid for one keeps none of the
   * others waiting.
   */
  async payAll(): Promise<void> {
    const batches = batchesOf<string>((last = '', limit) => this.unpaid.organizations(last, limit), { size: BATCH });
    for await (const orgIds of batches) {
      const orgs = await this.plans.findAll(orgIds);
      const isBilled = new Map(orgs.map(({ id, plan }) => [id, PLANS[plan].billsUsage]));
      try {
        await this.pay(isBilled);
      } catch (error) {
        this.log.warn(
          { error, organizations: isBilled.size },
          'What was used could not be paid for together; each is tried by itself.',
        );
        for (const one of isBilled) await this.payApart(one);
      }
    }
  }

  /**
   * All of these organizations, each with whether its usage is billed; with the running transaction if there is one.
   * Once, whoever else does.
   */
  pay(isBilled: ReadonlyMap<string, boolean>): Promise<void> {
    return this.database.transaction(async () => {
      const costs = (await this.unpaid.take([...isBilled.keys()])).filter(({ costNano }) => costNano > 0n);
      if (costs.length === 0) return;
      const now = this.clock.now();
      const paid = await this.purses.change({ orgIds: costs.map(({ orgId }) => orgId) }, (session) =>
        costs
          // One that was deleted before it had an account has no credits either: its invoice shows what it used.
          .filter(({ orgId }) => session.has(orgId))
          .map((cost) =>
            session.charge({
              key: `unheld:${this.ids.next(LEDGER_ENTRY_ID)}`,
              orgId: cost.orgId,
              meter: cost.meter,
              model: cost.model,
              costNano: cost.costNano,
              postpaid: isBilled.get(cost.orgId)!,
              at: now,
              occurredAt: within(cost, now),
            }),
          ),
      );
      await this.database.afterCommit(() => {
        for (const hold of paid) this.metrics.ended(hold);
        return Promise.resolve();
      });
    });
  }

  private async payApart([orgId, isBilled]: readonly [string, boolean]): Promise<void> {
    try {
      await this.pay(new Map([[orgId, isBilled]]));
    } catch (error) {
      this.log.error({ error, orgId }, 'What an organization has used could not be paid for.');
    }
  }
}

/** A moment of the month that it is billed in: now, or the last one of it. */
function within({ month }: UnpaidCost, now: Date): Date {
  const last = new Date(monthOf(month).end.getTime() - 1);
  return now < month ? month : now > last ? last : now;
}
