import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { monthOf } from '../../metering/month.js';
import { UnpaidUsageService, type UnpaidCost } from '../../metering/unpaid-usage.service.js';
import { LEDGER_ENTRY_ID } from '../credits.ids.js';
import { CreditsMetrics } from '../metrics/credits.metrics.js';
import { PursesService } from './purses.service.js';

/**
 * Charges usage that had no hold: credits pay first, then, if the plan bills usage, the invoice up to the spend cap.
 * The platform bears the rest, because it was already used.
 */
@Injectable()
export class UnheldCharges {
  constructor(
    private readonly database: Database,
    private readonly unpaid: UnpaidUsageService,
    private readonly purses: PursesService,
    private readonly metrics: CreditsMetrics,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Charges these organizations; the value says whether usage is billed to the organization. Joins the running
   * transaction. Charges nothing twice, even if several processes run at once.
   */
  charge(isBilled: ReadonlyMap<string, boolean>): Promise<void> {
    return this.database.transaction(async () => {
      const costs = (await this.unpaid.take([...isBilled.keys()])).filter(({ costNano }) => costNano > 0n);
      if (costs.length === 0) return;
      const now = this.clock.now();
      const paid = await this.purses.change({ orgIds: costs.map(({ orgId }) => orgId), times: [now] }, (session) =>
        costs
          // An organization that was deleted before it had an account has no credits either. Its invoice shows the
          // usage.
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
}

/** Returns now, or the last moment of the month that the usage is billed in. */
function within({ month }: UnpaidCost, now: Date): Date {
  const last = new Date(monthOf(month).end.getTime() - 1);
  return now < month ? month : now > last ? last : now;
}
