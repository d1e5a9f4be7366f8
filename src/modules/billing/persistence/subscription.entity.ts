import assert from 'node:assert/strict';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PlanId } from '../../plans/plan.js';
import { NANO } from './nano.transformer.js';

const BEGINNING = new Date(0);

/**
 * The plan that an organization has chosen and pays for. One that never chose has none of these, and pays no base fee.
 */
@Entity('subscriptions')
export class Subscription {
  @PrimaryColumn('text', { name: 'org_id' }) orgId!: string;
  @Column('text') plan!: PlanId;
  /** Of a month; what held when the plan was chosen. */
  @Column('bigint', { name: 'price_nano', transformer: NANO }) priceNano!: bigint;
  @Column('timestamptz') since!: Date;
  /** What it changes to at the end of the period; null: it stays. */
  @Column('text', { name: 'next_plan', nullable: true }) nextPlan!: PlanId | null;
  @Column('timestamptz', { name: 'next_plan_at', nullable: true }) nextPlanAt!: Date | null;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;

  /** What an organization has that never chose a plan: the one it was made with, for nothing. */
  static unpaid(orgId: string, plan: PlanId): Subscription {
    return Subscription.begun({ orgId, plan, priceNano: 0n, since: BEGINNING }, BEGINNING);
  }

  /** A plan that begins, with nothing planned after it. */
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

  /** Another plan follows at that time. */
  planChange(nextPlan: PlanId, nextPlanAt: Date, at: Date): void {
    assert(nextPlan !== this.plan, 'A plan was to follow itself.');
    this.nextPlan = nextPlan;
    this.nextPlanAt = nextPlanAt;
    this.updatedAt = at;
  }

  /** The plan stays: what was planned is dropped. */
  dropChange(at: Date): void {
    this.nextPlan = this.nextPlanAt = null;
    this.updatedAt = at;
  }
}
