import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EnvTarget } from '../project-settings.js';

/** An environment variable of a project for one target. */
@Entity('project_env')
export class ProjectEnvVariable {
  @PrimaryColumn('text', { name: 'project_id' }) projectId!: string;
  @PrimaryColumn('text') target!: EnvTarget;
  @PrimaryColumn('text') name!: string;
  /** Encrypted by `EnvVault`, whether or not it is a secret. */
  @Column('bytea') value!: Buffer;
  /** True when the value is never shown again. */
  @Column('boolean', { name: 'is_secret' }) isSecret!: boolean;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('text', { name: 'updated_by' }) updatedBy!: string;
}
