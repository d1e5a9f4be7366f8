import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An action in an organization. Entries are never changed. */
@Entity('audit_log')
export class AuditEntry {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text') action!: string;
  @Column('text', { name: 'actor_user_id', nullable: true }) actorUserId!: string | null;
  @Column('text', { name: 'actor_key_id', nullable: true }) actorKeyId!: string | null;
  @Column('text', { name: 'target_type' }) targetType!: string;
  @Column('text', { name: 'target_id' }) targetId!: string;
  @Column('text', { nullable: true }) ip!: string | null;
  @Column('text', { name: 'request_id', nullable: true }) requestId!: string | null;
  @Column('jsonb') details!: Readonly<Record<string, unknown>>;
  @Column('timestamptz') at!: Date;
}
