import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PlanId } from '../../plans/plan.js';
import { NANO } from './nano.transformer.js';

/** From when on an organization pays for another plan. The database lets nobody change it afterwards. */
@Entity('plan_changes')
export class PlanChange {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'from_plan' }) fromPlan!: PlanId;
  @Column('text', { name: 'to_plan' }) toPlan!: PlanId;
  /** Of a month of `toPlan`. */
  @Column('bigint', { name: 'price_nano', transformer: NANO }) priceNano!: bigint;
  @Column('timestamptz', { name: 'effective_at' }) effectiveAt!: Date;
  @Column('timestamptz', { name: 'made_at' }) madeAt!: Date;
  /** Of those that take effect in one second the last counts. */
  @Column({ type: 'bigint', insert: false, update: false }) seq!: string;
}
