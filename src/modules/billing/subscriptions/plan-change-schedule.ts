import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { PlanId } from '../../plans/plan.js';
import { periodOf } from '../domain/billing-period.js';
import type { Subscription } from '../persistence/subscription.entity.js';
import { SubscriptionsStore } from '../persistence/subscriptions.store.js';

/** Plans changes for the end of the period, and drops them. Joins the running transaction. */
@Injectable()
export class PlanChangeSchedule {
  constructor(
    private readonly subscriptions: SubscriptionsStore,
    private readonly owners: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  async plan(
    subscription: Subscription,
    next: PlanId,
    { by, reason }: { by?: Call; reason?: string },
  ): Promise<Subscription> {
    const now = this.clock.now();
    const at = periodOf(now).to;
    const from = subscription.plan;
    subscription.planChange(next, at, now);
    await this.subscriptions.save(subscription);
    const details = { from, to: next, at: at.toISOString(), ...(reason === undefined ? {} : { reason }) };
    await this.record('subscription.change_planned', subscription, details, by);
    return subscription;
  }

  /** Drops the planned change, if there is one. */
  async drop(subscription: Subscription, by: Call | undefined): Promise<Subscription> {
    const dropped = subscription.nextPlan;
    if (dropped === null) return subscription;
    subscription.dropChange(this.clock.now());
    await this.subscriptions.save(subscription);
    await this.record('subscription.change_dropped', subscription, { plan: subscription.plan, dropped }, by);
    return subscription;
  }

  private record(
    action: `subscription.${string}`,
    { orgId }: Subscription,
    details: Readonly<Record<string, unknown>>,
    by: Call | undefined,
  ): Promise<void> {
    return this.owners.record({ orgId, action, target: { type: 'subscription', id: orgId }, details }, by);
  }
}
