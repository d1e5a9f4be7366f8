import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PlanId } from '../../plans/plan.js';
import { NANO } from './nano.transformer.js';

/** Records when an organization began to pay for another plan. The database refuses changes to it. */
@Entity('plan_changes')
export class PlanChange {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'from_plan' }) fromPlan!: PlanId;
  @Column('text', { name: 'to_plan' }) toPlan!: PlanId;
  /** The price of a month of `toPlan`. */
  @Column('bigint', { name: 'price_nano', transformer: NANO }) priceNano!: bigint;
  @Column('timestamptz', { name: 'effective_at' }) effectiveAt!: Date;
  @Column('timestamptz', { name: 'made_at' }) madeAt!: Date;
  /** The order of changes. If several take effect in the same second, the last one counts. */
  @Column({ type: 'bigint', insert: false, update: false }) seq!: string;
}
