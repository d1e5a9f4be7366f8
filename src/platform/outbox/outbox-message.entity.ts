import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A job that was committed together with its cause and waits to be moved to its queue. */
@Entity('outbox_messages')
export class OutboxMessage {
  @PrimaryColumn('text') id!: string;
  /** The id of the job in its queue; null means the id of the message. */
  @Column('text', { name: 'job_id', nullable: true }) jobId!: string | null;
  @Column('text') queue!: string;
  @Column('jsonb') envelope!: object;
  @Column('int') attempts!: number;
  @Column('int', { name: 'backoff_ms' }) backoffMs!: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
}
