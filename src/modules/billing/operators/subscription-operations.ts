import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgPlans } from '../../orgs/org-plans.js';
import { OrganizationNotFound } from '../../orgs/orgs.errors.js';
import type { PlanId } from '../../plans/plan.js';
import type { Subscription } from '../persistence/subscription.entity.js';
import { SubscriptionsStore } from '../persistence/subscriptions.store.js';
import { type PlanRequest, PlanRequests } from '../plan-requests.js';
import { PlanChanges } from '../subscriptions/plan-changes.js';

export interface Contract {
  readonly orgId: string;
  readonly plan: PlanId;
  /** The price of a month in nano-dollars. */
  readonly priceNano: bigint;
  /** The reason, for readers of the audit log. */
  readonly reason: string;
}

/** Lets an operator set any plan at any price at once, and decide on plan requests. */
@Injectable()
export class SubscriptionOperations {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionsStore,
    private readonly changes: PlanChanges,
    private readonly plans: OrgPlans,
    private readonly requests: PlanRequests,
    private readonly clock: Clock,
  ) {}

  /** @throws {OrganizationNotFound} `organization_not_found` */
  set({ orgId, plan, priceNano, reason }: Contract): Promise<Subscription> {
    return this.database.transaction(async () => {
      const org = await this.plans.lock(orgId);
      if (org === null) throw new OrganizationNotFound();
      await this.requests.settle(orgId);
      const current = await this.changes.applyDue(await this.subscriptions.find(orgId));
      return this.changes.apply({
        orgId,
        from: current?.plan ?? org.plan,
        to: plan,
        priceNano,
        effectiveAt: this.clock.now(),
        details: { by: 'operator', reason },
      });
    });
  }

  /**
   * Refuses the larger plan that an organization requested. The reason goes to its audit log.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {PlanRequestNotFound} `plan_request_not_found`
   */
  refuse(orgId: string, reason: string): Promise<PlanRequest> {
    return this.database.transaction(async () => {
      if ((await this.plans.lock(orgId)) === null) throw new OrganizationNotFound();
      return this.requests.refuse(orgId, reason);
    });
  }
}
