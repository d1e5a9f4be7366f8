import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { listPriceNano } from '../../plans/plan-price.js';
import { PLAN_IDS, type PlanId, PLANS } from '../../plans/plan.js';
import { PlanByContract } from '../billing.errors.js';
import type { Subscription } from '../persistence/subscription.entity.js';
import { type PlanRequest, PlanRequests } from '../plan-requests.js';
import { PaymentMethods } from '../payments/payment-methods.js';
import { PlanChangeSchedule } from './plan-change-schedule.js';
import { PlanChanges } from './plan-changes.js';
import { PlanRoom } from './plan-room.js';

export type { Subscription };

/** A subscription with its storage and the larger plan that waits for an operator. */
export interface SubscriptionState {
  readonly subscription: Subscription;
  readonly request: PlanRequest | undefined;
  /** The size of the files of the organization's deploys. */
  readonly storedBytes: number;
  /** True when a provider collects payments, and false when invoices are paid manually. */
  readonly isPaidByProvider: boolean;
}

const rank = (plan: PlanId): number => PLAN_IDS.indexOf(plan);

/** The plan of an organization and its changes: up at once, down at the end of the period. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly database: Database,
    private readonly changes: PlanChanges,
    private readonly schedule: PlanChangeSchedule,
    private readonly room: PlanRoom,
    private readonly owners: OrgDirectory,
    private readonly methods: PaymentMethods,
    private readonly requests: PlanRequests,
  ) {}

  /** An organization that never chose a plan has the plan that it was created with, for nothing. */
  async of(orgId: string, plan: PlanId): Promise<SubscriptionState> {
    const [subscription, request] = await Promise.all([this.changes.stored(orgId, plan), this.requests.find(orgId)]);
    return this.stateOf(subscription, request);
  }

  /**
   * Chooses a plan for the organization of the call. A larger plan takes effect at once. A smaller one takes effect at
   * the end of the period; until then, choosing the current plan drops the change. If an operator has to approve larger
   * plans, they are requested, and any later choice replaces or withdraws the request.
   *
   * @throws {PlanTooSmall} `plan_too_small`: the organization exceeds the limits of the smaller plan.
   * @throws {PlanByContract} `plan_by_contract`: Enterprise begins and ends by contract.
   * @throws {PaymentMethodRequired} `payment_method_required`: the larger plan costs something.
   */
  choose(call: Call, wanted: PlanId): Promise<SubscriptionState> {
    const orgId = call.org.id;
    return this.database.transaction(async () => {
      const current = await this.changes.current(orgId, await this.owners.lockAndGetPlan(call, orgId));
      for (const plan of [wanted, current.plan])
        if (listPriceNano(plan) === null && wanted !== current.plan) throw new PlanByContract(PLANS[plan]);
      const isUpgrade = rank(wanted) > rank(current.plan);
      if (isUpgrade && this.requests.areRequired)
        return this.stateOf(current, await this.requests.create(call, orgId, wanted));
      await this.requests.withdraw(call, orgId);
      if (wanted === current.plan) return this.stateOf(await this.schedule.drop(current, call), undefined);
      return this.stateOf(
        isUpgrade ? await this.upgrade(call, current, wanted) : await this.downgrade(call, current, wanted),
        undefined,
      );
    });
  }

  /**
   * Begins a plan because a payment method was added for it, or keeps it if it was to end. A larger plan stays. Joins
   * the running transaction.
   */
  async upgradeTo(orgId: string, wanted: PlanId, reason: string): Promise<void> {
    const current = await this.current(orgId);
    const priceNano = listPriceNano(wanted);
    if (current === null || priceNano === null || rank(wanted) < rank(current.plan)) return;
    if (wanted === current.plan) {
      await this.schedule.drop(current, undefined);
      return;
    }
    await this.changes.apply({ orgId, from: current.plan, to: wanted, priceNano, details: { reason } });
  }

  /** Ends a paid plan with its period, because the payment method is gone. Joins the running transaction. */
  async endWithPeriod(orgId: string, reason: string): Promise<void> {
    const current = await this.current(orgId);
    // A plan by contract does not depend on a payment method.
    if (
      current === null ||
      current.priceNano === 0n ||
      current.nextPlan === 'free' ||
      listPriceNano(current.plan) !== current.priceNano
    )
      return;
    await this.schedule.plan(current, 'free', { reason });
  }

  private async stateOf(subscription: Subscription, request: PlanRequest | undefined): Promise<SubscriptionState> {
    const storedBytes = await this.room.storedBytes(subscription.orgId);
    return { subscription, request, storedBytes, isPaidByProvider: this.methods.areNeeded };
  }

  /** Returns null for a deleted organization. The caller has locked it. */
  private async current(orgId: string): Promise<Subscription | null> {
    const plan = await this.owners.planOf(orgId);
    return plan === undefined ? null : this.changes.current(orgId, plan);
  }

  private async upgrade(call: Call, { orgId, plan }: Subscription, wanted: PlanId): Promise<Subscription> {
    await this.methods.require(orgId);
    return this.changes.apply({ orgId, from: plan, to: wanted, priceNano: listPriceNano(wanted)!, by: call });
  }

  private async downgrade(call: Call, current: Subscription, wanted: PlanId): Promise<Subscription> {
    await this.room.require(PLANS[wanted], current.orgId);
    return current.nextPlan === wanted ? current : this.schedule.plan(current, wanted, { by: call });
  }
}
