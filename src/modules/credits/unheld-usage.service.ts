import { Injectable } from '@nestjs/common';
import { batchesOf } from '../../platform/database/in-batches.js';
import { Log } from '../../platform/logging/log.js';
import { UnpaidUsageService } from '../metering/unpaid-usage.service.js';
import { OrgPlans } from '../orgs/org-plans.js';
import { PLANS } from '../plans/plan.js';
import { UnheldCharges } from './purse/unheld-charges.js';

/** How many accounts are locked at once. Other work of these organizations waits meanwhile. */
const BATCH = 100;

/** Pays for usage that had no hold, for all organizations or for a few. */
@Injectable()
export class UnheldUsageService {
  constructor(
    private readonly charges: UnheldCharges,
    private readonly unpaid: UnpaidUsageService,
    private readonly plans: OrgPlans,
    private readonly log: Log,
  ) {}

  /** Pays for every organization, in batches. If a batch fails, each of its organizations is paid for separately. */
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
          'A batch of usage could not be charged; charging each organization separately.',
        );
        for (const one of isBilled) await this.paySeparately(one);
      }
    }
  }

  /** Pays for these organizations; the value says whether usage is billed to the organization. */
  pay(isBilled: ReadonlyMap<string, boolean>): Promise<void> {
    return this.charges.charge(isBilled);
  }

  private async paySeparately([orgId, isBilled]: readonly [string, boolean]): Promise<void> {
    try {
      await this.pay(new Map([[orgId, isBilled]]));
    } catch (error) {
      this.log.error({ error, orgId }, 'Usage of an organization could not be charged.');
    }
  }
}
