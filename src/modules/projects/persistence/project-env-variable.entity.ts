import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EnvTarget } from '../project-settings.js';

/** A variable of a project's environment, for one target. */
@Entity('project_env')
export class ProjectEnvVariable {
  @PrimaryColumn('text', { name: 'project_id' }) projectId!: string;
  @PrimaryColumn('text') target!: EnvTarget;
  @PrimaryColumn('text') name!: string;
  /** Sealed by `EnvVault`, whether or not it is a secret. */
  @Column('bytea') value!: Buffer;
  /** Its value is never shown again. */
  @Column('boolean', { name: 'is_secret' }) isSecret!: boolean;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('text', { name: 'updated_by' }) updatedBy!: string;
}
