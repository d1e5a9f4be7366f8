import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A flag that was toggled at least once. A flag without a row has its default. */
@Entity('feature_flags')
export class FeatureFlagRow {
  @PrimaryColumn('text') name!: string;
  @Column('boolean') enabled!: boolean;
  /** Counts the changes of this flag, from 1. */
  @Column('integer') version!: number;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('text', { name: 'updated_by' }) updatedBy!: string;
}
