import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgPlans } from '../../orgs/org-plans.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { wholeSecond } from '../domain/billing-period.js';
import { type PlanId } from '../../plans/plan.js';
import { listPriceNano } from '../../plans/plan-price.js';
import { PLAN_CHANGE_ID } from '../billing.ids.js';
import { Subscription } from '../persistence/subscription.entity.js';
import { SubscriptionsStore } from '../persistence/subscriptions.store.js';

interface Change {
  readonly orgId: string;
  readonly from: PlanId;
  readonly to: PlanId;
  /** Of a month, in nano-dollars. */
  readonly priceNano: bigint;
  readonly effectiveAt: Date;
  /** Undefined: the service itself, or an operator. */
  readonly by?: Call;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Lets changes of plans take effect, with the running transaction, in which the organization is locked. */
@Injectable()
export class PlanChanges {
  constructor(
    private readonly subscriptions: SubscriptionsStore,
    private readonly plans: OrgPlans,
    private readonly owners: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** The organization has the plan, and pays its price, from `effectiveAt` on; what was planned before is dropped. */
  async apply({ orgId, from, to, priceNano, effectiveAt, by, details = {} }: Change): Promise<Subscription> {
    const now = this.clock.now();
    // Never before the change before it, whatever the clocks of two machines say.
    const since = later(wholeSecond(effectiveAt), (await this.subscriptions.find(orgId))?.since);
    const subscription = Subscription.begun({ orgId, plan: to, priceNano, since }, now);
    await this.subscriptions.save(subscription);
    await this.subscriptions.addChange({
      id: this.ids.next(PLAN_CHANGE_ID),
      orgId,
      fromPlan: from,
      toPlan: to,
      priceNano,
      effectiveAt: since,
      madeAt: now,
    });
    await this.plans.change(orgId, to, now);
    await this.owners.record(
      {
        orgId,
        action: 'subscription.changed',
        target: { type: 'subscription', id: orgId },
        details: { from, to, ...details },
      },
      by,
    );
    return subscription;
  }

  /** Lets a planned change take effect that is due: at the time it was planned for, however much later it is now. */
  async applyDue(subscription: Subscription | null): Promise<Subscription | null> {
    if (subscription === null) return null;
    const { orgId, plan, nextPlan, nextPlanAt } = subscription;
    if (nextPlan === null || nextPlanAt === null || nextPlanAt > this.clock.now()) return subscription;
    return this.apply({
      orgId,
      from: plan,
      to: nextPlan,
      priceNano: listPriceNano(nextPlan)!,
      effectiveAt: nextPlanAt,
    });
  }
}

const later = (one: Date, other: Date | undefined): Date => (other !== undefined && other > one ? other : one);
