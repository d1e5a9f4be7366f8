import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OpsTaskStatus, Severity } from '../domain/ops-task-status.js';

/** A task for an operator. */
@Entity('ops_tasks')
export class OpsTask {
  @PrimaryColumn('text') id!: string;
  /** Identifies the fault. It is unique among the tasks that are not resolved. */
  @Column('text', { name: 'dedup_key' }) dedupKey!: string;
  @Column('text') title!: string;
  @Column('text', { name: 'runbook_tag' }) runbookTag!: string;
  @Column('text') severity!: Severity;
  @Column('text') status!: OpsTaskStatus;
  @Column('text') source!: string;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text', { nullable: true }) url!: string | null;
  @Column('jsonb') labels!: Record<string, string>;
  @Column('jsonb') annotations!: Record<string, string>;
  /** When the fault began, as reported. */
  @Column('timestamptz', { name: 'starts_at' }) startsAt!: Date;
  /** When the fault ended, as reported. */
  @Column('timestamptz', { name: 'ends_at', nullable: true }) endsAt!: Date | null;
  @Column('timestamptz', { name: 'last_seen_at' }) lastSeenAt!: Date;
  @Column('integer') occurrences!: number;
  @Column('text', { name: 'claimed_by', nullable: true }) claimedBy!: string | null;
  @Column('timestamptz', { name: 'claim_expires_at', nullable: true }) claimExpiresAt!: Date | null;
  @Column('timestamptz', { name: 'silenced_until', nullable: true }) silencedUntil!: Date | null;
  @Column('timestamptz', { name: 'resolved_at', nullable: true }) resolvedAt!: Date | null;
  @Column('text', { name: 'resolved_by', nullable: true }) resolvedBy!: string | null;
  @Column('text', { nullable: true }) resolution!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
}
