import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What happened to a task; never changed. */
@Entity('ops_task_events')
export class OpsTaskEvent {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'task_id' }) taskId!: string;
  @Column('text') kind!: string;
  /** The agent, `alert`, or `sweep`. */
  @Column('text') actor!: string;
  @Column('jsonb') details!: Record<string, unknown>;
  @Column('timestamptz') at!: Date;
}
