import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Meter, MeterUnit } from '../../metering/meter.js';
import type { LineKind } from '../invoices/invoice-state.js';
import type { PlanId } from '../../plans/plan.js';
import { NANO } from './nano.transformer.js';

/** A line of an invoice. The lines add up to its total, to the nano-dollar. */
@Entity('invoice_lines')
export class InvoiceLine {
  @PrimaryColumn('text', { name: 'invoice_id' }) invoiceId!: string;
  @PrimaryColumn('int') position!: number;
  @Column('text') kind!: LineKind;
  @Column('text', { nullable: true }) plan!: PlanId | null;
  @Column('text', { nullable: true }) meter!: Meter | null;
  @Column('text', { nullable: true }) model!: string | null;
  @Column('text', { name: 'price_version', nullable: true }) priceVersion!: string | null;
  /** The price of the quantity that `pricedPer` names. */
  @Column('bigint', { name: 'price_nano', nullable: true, transformer: NANO }) priceNano!: bigint | null;
  @Column('text', { name: 'priced_per', nullable: true }) pricedPer!: string | null;
  @Column('numeric', { precision: 38, scale: 0, nullable: true, transformer: NANO }) quantity!: bigint | null;
  @Column('text', { nullable: true }) unit!: MeterUnit | 's' | null;
  @Column('timestamptz', { name: 'period_from' }) periodFrom!: Date;
  @Column('timestamptz', { name: 'period_to' }) periodTo!: Date;
  @Column('bigint', { name: 'amount_nano', transformer: NANO }) amountNano!: bigint;
}
