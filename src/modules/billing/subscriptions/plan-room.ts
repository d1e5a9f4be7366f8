import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import type { Plan } from '../../plans/plan.js';
import { PlanTooSmall } from '../billing.errors.js';

/**
 * Checks that an organization fits into a plan. The caller has locked the organization, so that the result stays true.
 */
@Injectable()
export class PlanRoom implements OnApplicationBootstrap {
  constructor(private readonly counters: PlanLimitCounters) {}

  /** A limit without a counter would let every organization into a smaller plan. */
  onApplicationBootstrap(): void {
    this.counters.requireComplete();
  }

  /** @throws {PlanTooSmall} `plan_too_small` */
  async require(plan: Plan, orgId: string): Promise<void> {
    const over = await this.counters.exceeded(plan, orgId);
    if (over.length > 0) throw new PlanTooSmall(plan, over);
  }

  /** Returns the size of the files of the organization's deploys. */
  storedBytes(orgId: string): Promise<number> {
    return this.counters.used('bytes_in_deploys', orgId);
  }
}
