import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PlanId } from '../../plans/plan.js';

/**
 * The owner of all resources. A deleted organization keeps its row for the audit log, and its slug is free. Only
 * `OrganizationsStore.raiseEpoch` changes the epoch.
 */
@Entity('organizations')
export class Organization {
  @PrimaryColumn('text') id!: string;
  @Column('text') slug!: string;
  @Column('text') name!: string;
  @Column('text') plan!: PlanId;
  /** The user whose personal organization it is, or null. */
  @Column('text', { name: 'personal_of', nullable: true }) personalOf!: string | null;
  @Column('boolean', { name: 'second_factor_required', default: false }) secondFactorRequired!: boolean;
  /** The longest lifetime of new keys, or null. */
  @Column('int', { name: 'key_lifetime_days', nullable: true }) keyLifetimeDays!: number | null;
  @Column({ type: 'bigint', name: 'auth_epoch', default: 0, insert: false, update: false }) authEpoch!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
}
