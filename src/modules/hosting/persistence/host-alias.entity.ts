import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The deploy that a host name serves. */
@Entity('host_aliases')
export class HostAlias {
  @PrimaryColumn('text') label!: string;
  @Column('text', { name: 'deploy_id' }) deployId!: string;
  @Column('text', { name: 'project_id' }) projectId!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text') kind!: 'deploy' | 'branch' | 'production';
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
}
