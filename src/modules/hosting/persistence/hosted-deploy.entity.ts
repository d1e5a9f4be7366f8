import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A deploy whose files are all stored. The row makes it servable. */
@Entity('hosted_deploys')
export class HostedDeploy {
  @PrimaryColumn('text', { name: 'deploy_id' }) deployId!: string;
  @Column('text', { name: 'project_id' }) projectId!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text') kind!: 'static' | 'server';
  /** The SHA-256 of the manifest, which is stored as a blob. */
  @Column('text') manifest!: string;
  @Column('int') files!: number;
  /**
   * The size that counts toward the organization's storage: files, compressed variants and manifest. The limits of an
   * ingest keep it far below 2^53.
   */
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) bytes!: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
}
