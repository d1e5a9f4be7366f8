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
  /** The active SSO connections. Only `OrgSignInRules` changes them. */
  @Column('text', { name: 'sso_connections', array: true, default: '{}' }) ssoConnections!: string[];
  @Column('boolean', { name: 'sso_required', default: false }) ssoRequired!: boolean;
  @Column('int', { name: 'sso_session_hours', default: 12 }) ssoSessionHours!: number;
  /** Owners who may enter with a passkey while SSO is required. */
  @Column('text', { name: 'sso_exempt_owners', array: true, default: '{}' }) ssoExemptOwners!: string[];
  /** The longest lifetime of new keys, or null. */
  @Column('int', { name: 'key_lifetime_days', nullable: true }) keyLifetimeDays!: number | null;
  @Column({ type: 'bigint', name: 'auth_epoch', default: 0, insert: false, update: false }) authEpoch!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
}
