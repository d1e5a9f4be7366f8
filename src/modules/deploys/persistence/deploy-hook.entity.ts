import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A secret URL that deploys a branch of a project. Only the hash of the secret is stored. */
@Entity('deploy_hooks')
export class DeployHook {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'project_id' }) projectId!: string;
  @Column('text') name!: string;
  @Column('text') branch!: string;
  /** True if the person who created the hook may deploy to production. Otherwise the hook only creates previews. */
  @Column('boolean') production!: boolean;
  @Column('bytea', { name: 'secret_hash' }) secretHash!: Buffer;
  @Column('int', { name: 'pepper_version' }) pepperVersion!: number;
  @Column('text', { name: 'created_by' }) createdBy!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt!: Date | null;

  static create(
    facts: Pick<
      DeployHook,
      'orgId' | 'projectId' | 'name' | 'branch' | 'production' | 'secretHash' | 'pepperVersion' | 'createdBy'
    >,
    { id, at }: { id: string; at: Date },
  ): DeployHook {
    return Object.assign(new DeployHook(), { ...facts, id, createdAt: at, lastUsedAt: null });
  }
}
