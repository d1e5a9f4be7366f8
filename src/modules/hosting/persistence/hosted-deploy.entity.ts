import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A deploy whose files are all in the store: the row is what makes it servable. */
@Entity('hosted_deploys')
export class HostedDeploy {
  @PrimaryColumn('text', { name: 'deploy_id' }) deployId!: string;
  @Column('text', { name: 'project_id' }) projectId!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text') kind!: 'static' | 'server';
  /** The SHA-256 of its manifest, which is a blob like any other. */
  @Column('text') manifest!: string;
  @Column('int') files!: number;
  /**
   * What it counts for among what its organization stores: its files, their compressed forms and the manifest. Below
   * 2^53: an ingest is bounded far below.
   */
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) bytes!: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
}
