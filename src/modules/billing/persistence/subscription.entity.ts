import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PlanId } from '../../plans/plan.js';
import { NANO } from './nano.transformer.js';

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
}
