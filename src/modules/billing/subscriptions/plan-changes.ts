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
  /** The price of a month in nano-dollars. */
  readonly priceNano: bigint;
  /** The change takes effect now when this is undefined. */
  readonly effectiveAt?: Date;
  /** Undefined when the service itself or an operator makes the change. */
  readonly by?: Call;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Applies plan changes in the running transaction, which has locked the organization. */
@Injectable()
export class PlanChanges {
  constructor(
    private readonly subscriptions: SubscriptionsStore,
    private readonly plans: OrgPlans,
    private readonly owners: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Returns the stored subscription, or the unpaid one of an organization that never chose a plan. */
  async stored(orgId: string, plan: PlanId): Promise<Subscription> {
    return (await this.subscriptions.find(orgId)) ?? Subscription.unpaid(orgId, plan);
  }

  /** Applies a planned change that is due, and returns the subscription after it. */
  async current(orgId: string, plan: PlanId): Promise<Subscription> {
    return (await this.applyDue(await this.subscriptions.find(orgId))) ?? Subscription.unpaid(orgId, plan);
  }

  /** Sets the plan and its price from `effectiveAt` on, and drops a planned change. */
  async apply({ orgId, from, to, priceNano, effectiveAt, by, details = {} }: Change): Promise<Subscription> {
    const now = this.clock.now();
    // Changes stay in order even if the clocks of two machines differ.
    const since = later(wholeSecond(effectiveAt ?? now), (await this.subscriptions.find(orgId))?.since);
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

  /** Applies a planned change if it is due, effective at the planned time, however late it is now. */
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
