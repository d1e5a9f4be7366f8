import { Column, Entity, PrimaryColumn } from 'typeorm';
import { NANO } from './nano.transformer.js';

/** A correction of a finalized invoice: so much of it is not owed. The database lets nobody change it afterwards. */
@Entity('credit_notes')
export class CreditNote {
  @PrimaryColumn('text') id!: string;
  @Column('bigint', { transformer: NANO }) number!: bigint;
  /** The same key makes it once. */
  @Column('text') key!: string;
  @Column('text', { name: 'invoice_id' }) invoiceId!: string;
  @Column('bigint', { name: 'amount_cents', transformer: NANO }) amountCents!: bigint;
  @Column('text') reason!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
}
