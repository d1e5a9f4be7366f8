import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What is kept of a secret of a key. Those that were rotated away stay, to be told from unknown ones. */
@Entity('api_key_secrets')
export class ApiKeySecret {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'key_id' }) keyId!: string;
  @Column('bytea') hash!: Buffer;
  @Column('int', { name: 'pepper_version' }) pepperVersion!: number;
  @Column('text') last4!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'rotated_at', nullable: true }) rotatedAt!: Date | null;
  /** Until when it goes on working after it was rotated away. */
  @Column('timestamptz', { name: 'works_until', nullable: true }) worksUntil!: Date | null;
}
