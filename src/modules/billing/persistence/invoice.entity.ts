import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { InvoiceState } from '../invoices/invoice-state.js';
import { NANO } from './nano.transformer.js';

const LINES = {
  to: (lines: readonly string[]): string => lines.join('\n'),
  from: (text: string): string[] => text.split('\n').filter(Boolean),
};

/** What an organization owes for a month. Once it has a number, only its state can change. */
@Entity('invoices')
export class Invoice {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('timestamptz', { name: 'period_from' }) periodFrom!: Date;
  @Column('timestamptz', { name: 'period_to' }) periodTo!: Date;
  @Column('text') state!: InvoiceState;
  /** Numbers have no gaps and follow the order of finalization. */
  @Column('bigint', { nullable: true, transformer: NANO }) number!: bigint | null;
  /** The organization's name at that time. */
  @Column('jsonb', { name: 'bill_to' }) billTo!: { readonly name: string; readonly slug: string };
  /** The lines about the issuer, from the settings at that time. */
  @Column('text', { default: '', transformer: LINES }) issuer!: readonly string[];
  /** After this time no usage of the period is added to the invoice. */
  @Column('timestamptz', { name: 'cutoff_at', nullable: true }) cutoffAt!: Date | null;
  @Column('bigint', { name: 'total_cents', nullable: true, transformer: NANO }) totalCents!: bigint | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'finalized_at', nullable: true }) finalizedAt!: Date | null;
  @Column('timestamptz', { name: 'due_at', nullable: true }) dueAt!: Date | null;
  @Column('timestamptz', { name: 'overdue_at', nullable: true }) overdueAt!: Date | null;
  @Column('timestamptz', { name: 'paid_at', nullable: true }) paidAt!: Date | null;
  /** How it was paid, for later reference. */
  @Column('text', { nullable: true }) payment!: string | null;
  @Column('timestamptz', { name: 'voided_at', nullable: true }) voidedAt!: Date | null;
}
