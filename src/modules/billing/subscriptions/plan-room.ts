import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import type { Plan } from '../../plans/plan.js';
import { PlanTooSmall } from '../billing.errors.js';

/**
 * Compares what an organization has with what a plan holds. The caller has locked the organization, so that it stays
 * so.
 */
@Injectable()
export class PlanRoom implements OnApplicationBootstrap {
  constructor(private readonly counters: PlanLimitCounters) {}

  /** A limit that nobody counts would let every organization into a smaller plan. */
  onApplicationBootstrap(): void {
    this.counters.requireComplete();
  }

  /** @throws {PlanTooSmall} `plan_too_small` */
  async require(plan: Plan, orgId: string): Promise<void> {
    const over = await this.counters.exceeded(plan, orgId);
    if (over.length > 0) throw new PlanTooSmall(plan, over);
  }
}
