import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import { listPriceNano } from '../../plans/plan-price.js';
import { PLAN_IDS, type PlanId, PLANS } from '../../plans/plan.js';
import { PlanByContract } from '../billing.errors.js';
import { periodOf } from '../domain/billing-period.js';
import { Subscription } from '../persistence/subscription.entity.js';
import { SubscriptionsStore } from '../persistence/subscriptions.store.js';
import { type PlanRequest, PlanRequests } from '../plan-requests.js';
import { PaymentMethods } from '../payments/payment-methods.js';
import { PlanChanges } from './plan-changes.js';
import { PlanRoom } from './plan-room.js';

export type { Subscription };

/** A subscription, what is stored, and the larger plan that waits for an operator. */
export interface SubscriptionState {
  readonly subscription: Subscription;
  readonly request: PlanRequest | undefined;
  /** What the files of the organization's deploys come to. */
  readonly storedBytes: number;
}

const rank = (plan: PlanId): number => PLAN_IDS.indexOf(plan);

/** What an organization pays for, and how that changes: up at once, down at the end of the period. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionsStore,
    private readonly changes: PlanChanges,
    private readonly room: PlanRoom,
    private readonly owners: OrgDirectory,
    private readonly methods: PaymentMethods,
    private readonly requests: PlanRequests,
    private readonly counters: PlanLimitCounters,
    private readonly clock: Clock,
  ) {}

  /** Of an organization that never chose a plan: the one it was made with, for nothing. */
  async of(orgId: string, plan: PlanId): Promise<SubscriptionState> {
    const [subscription, request] = await Promise.all([this.subscriptions.find(orgId), this.requests.find(orgId)]);
    return this.stateOf(subscription ?? Subscription.unpaid(orgId, plan), request);
  }

  /**
   * Chooses a plan for the organization of the call. A larger one takes effect at once; a smaller one at the end of the
   * period, until when it can be dropped by choosing the present one. Where an operator has to approve larger plans,
   * they are requested, and any later choice replaces or withdraws the request.
   *
   * @throws {PlanTooSmall} `plan_too_small`: there is more than the smaller plan holds.
   * @throws {PlanByContract} `plan_by_contract`: Enterprise, both ways.
   * @throws {PaymentMethodRequired} `payment_method_required`: the larger plan costs something.
   */
  choose(call: Call, wanted: PlanId): Promise<SubscriptionState> {
    const orgId = call.org.id;
    return this.database.transaction(async () => {
      const given = await this.owners.lockAndGetPlan(call, orgId);
      const present =
        (await this.changes.applyDue(await this.subscriptions.find(orgId))) ?? Subscription.unpaid(orgId, given);
      for (const plan of [wanted, present.plan])
        if (listPriceNano(plan) === null && wanted !== present.plan) throw new PlanByContract(PLANS[plan]);
      const rises = rank(wanted) > rank(present.plan);
      if (rises && this.requests.areRequired)
        return this.stateOf(present, await this.requests.make(call, orgId, wanted));
      await this.requests.withdraw(call, orgId);
      if (wanted === present.plan) return this.stateOf(await this.keep(call, present), undefined);
      return this.stateOf(
        rises ? await this.rise(call, present, wanted) : await this.plan(call, present, wanted),
        undefined,
      );
    });
  }

  /**
   * A means of payment was given for a plan: it begins, or goes on where it was to end; a larger one stays. With the
   * running transaction.
   */
  async riseTo(orgId: string, wanted: PlanId, reason: string): Promise<void> {
    const present = await this.present(orgId);
    const priceNano = listPriceNano(wanted);
    if (present === null || priceNano === null || rank(wanted) < rank(present.plan)) return;
    if (wanted === present.plan) {
      await this.keep(undefined, present);
      return;
    }
    await this.changes.apply({
      orgId,
      from: present.plan,
      to: wanted,
      priceNano,
      effectiveAt: this.clock.now(),
      details: { reason },
    });
  }

  /**
   * There is no means of payment any more: what was paid for goes on until the end of the period. With the running
   * transaction.
   */
  async endWithPeriod(orgId: string, reason: string): Promise<void> {
    const present = await this.present(orgId);
    // What is by contract does not hang on a means of payment.
    if (
      present === null ||
      present.priceNano === 0n ||
      present.nextPlan === 'free' ||
      listPriceNano(present.plan) !== present.priceNano
    )
      return;
    const now = this.clock.now();
    const at = periodOf(now).to;
    present.planChange('free', at, now);
    await this.subscriptions.save(present);
    await this.owners.record(
      {
        orgId,
        action: 'subscription.change_planned',
        target: { type: 'subscription', id: orgId },
        details: { from: present.plan, to: 'free', at: at.toISOString(), reason },
      },
      undefined,
    );
  }

  private async stateOf(subscription: Subscription, request: PlanRequest | undefined): Promise<SubscriptionState> {
    return { subscription, request, storedBytes: await this.counters.used('bytes_in_deploys', subscription.orgId) };
  }

  /** Null for an organization that was deleted. Whoever asks has locked it. */
  private async present(orgId: string): Promise<Subscription | null> {
    const given = await this.owners.planOf(orgId);
    return given === undefined
      ? null
      : ((await this.changes.applyDue(await this.subscriptions.find(orgId))) ?? Subscription.unpaid(orgId, given));
  }

  private async rise(call: Call, { orgId, plan }: Subscription, wanted: PlanId): Promise<Subscription> {
    await this.methods.require(orgId);
    return this.changes.apply({
      orgId,
      from: plan,
      to: wanted,
      priceNano: listPriceNano(wanted)!,
      effectiveAt: this.clock.now(),
      by: call,
    });
  }

  private async plan(call: Call, present: Subscription, wanted: PlanId): Promise<Subscription> {
    const { orgId, plan } = present;
    await this.room.require(PLANS[wanted], orgId);
    if (present.nextPlan === wanted) return present;
    const now = this.clock.now();
    const at = periodOf(now).to;
    present.planChange(wanted, at, now);
    await this.subscriptions.save(present);
    await this.record(call, 'subscription.change_planned', present, { from: plan, to: wanted, at: at.toISOString() });
    return present;
  }

  /** What was planned is dropped. */
  private async keep(call: Call | undefined, present: Subscription): Promise<Subscription> {
    if (present.nextPlan === null) return present;
    const dropped = present.nextPlan;
    present.dropChange(this.clock.now());
    await this.subscriptions.save(present);
    await this.record(call, 'subscription.change_dropped', present, { plan: present.plan, dropped });
    return present;
  }

  private record(
    call: Call | undefined,
    action: `subscription.${string}`,
    { orgId }: Subscription,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.owners.record({ orgId, action, target: { type: 'subscription', id: orgId }, details }, call);
  }
}
