import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One toggle of a flag. Rows are never changed or deleted. */
@Entity('feature_flag_changes')
export class FeatureFlagChange {
  @PrimaryColumn('text') id!: string;
  @Column('text') name!: string;
  @Column('boolean') previous!: boolean;
  @Column('boolean') enabled!: boolean;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('timestamptz', { name: 'changed_at' }) changedAt!: Date;
  @Column('text', { name: 'changed_by' }) changedBy!: string;
  @Column('text', { name: 'request_id' }) requestId!: string;
}
