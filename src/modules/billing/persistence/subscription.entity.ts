import assert from 'node:assert/strict';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PlanId } from '../../plans/plan.js';
import { NANO } from './nano.transformer.js';

const BEGINNING = new Date(0);

/**
 * The plan that an organization has chosen and pays for. An organization that never chose one has no row and pays no
 * base fee.
 */
@Entity('subscriptions')
export class Subscription {
  @PrimaryColumn('text', { name: 'org_id' }) orgId!: string;
  @Column('text') plan!: PlanId;
  /** The price of a month when the plan was chosen. */
  @Column('bigint', { name: 'price_nano', transformer: NANO }) priceNano!: bigint;
  @Column('timestamptz') since!: Date;
  /** The plan from the end of the period on. Null when the plan stays. */
  @Column('text', { name: 'next_plan', nullable: true }) nextPlan!: PlanId | null;
  @Column('timestamptz', { name: 'next_plan_at', nullable: true }) nextPlanAt!: Date | null;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;

  /** Returns the subscription of an organization that never chose a plan: the plan it was created with, for nothing. */
  static unpaid(orgId: string, plan: PlanId): Subscription {
    return Subscription.begun({ orgId, plan, priceNano: 0n, since: BEGINNING }, BEGINNING);
  }

  /** Creates a subscription that begins, with no change planned. */
  static begun(
    { orgId, plan, priceNano, since }: Pick<Subscription, 'orgId' | 'plan' | 'priceNano' | 'since'>,
    at: Date,
  ): Subscription {
    assert(priceNano >= 0n, 'The price of a plan is negative.');
    const subscription = new Subscription();
    subscription.orgId = orgId;
    subscription.plan = plan;
    subscription.priceNano = priceNano;
    subscription.since = since;
    subscription.nextPlan = subscription.nextPlanAt = null;
    subscription.updatedAt = at;
    return subscription;
  }

  /** Plans a change to another plan. */
  planChange(nextPlan: PlanId, nextPlanAt: Date, at: Date): void {
    assert(nextPlan !== this.plan, 'The planned change is to the current plan.');
    this.nextPlan = nextPlan;
    this.nextPlanAt = nextPlanAt;
    this.updatedAt = at;
  }

  /** Drops the planned change. */
  dropChange(at: Date): void {
    this.nextPlan = this.nextPlanAt = null;
    this.updatedAt = at;
  }
}
