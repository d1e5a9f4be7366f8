import { Column, Entity, PrimaryColumn } from 'typeorm';
import { NANO } from './nano.transformer.js';

/** Reduces what is owed for a finalized invoice. The database refuses changes to it. */
@Entity('credit_notes')
export class CreditNote {
  @PrimaryColumn('text') id!: string;
  @Column('bigint', { transformer: NANO }) number!: bigint;
  /** A key creates one credit note. */
  @Column('text') key!: string;
  @Column('text', { name: 'invoice_id' }) invoiceId!: string;
  @Column('bigint', { name: 'amount_cents', transformer: NANO }) amountCents!: bigint;
  @Column('text') reason!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
}
