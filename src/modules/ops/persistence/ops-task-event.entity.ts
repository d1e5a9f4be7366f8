import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event in the history of a task. Rows are never changed. */
@Entity('ops_task_events')
export class OpsTaskEvent {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'task_id' }) taskId!: string;
  @Column('text') kind!: string;
  /** The name of the agent, `alert`, or `sweep`. */
  @Column('text') actor!: string;
  @Column('jsonb') details!: Record<string, unknown>;
  @Column('timestamptz') at!: Date;
}
