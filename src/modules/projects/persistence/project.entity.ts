import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Framework, NodeVersion } from '../project-settings.js';

/** What is deployed. One that is deleted keeps its row, for what refers to it, and gives its slug free. */
@Entity('projects')
export class Project {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text') name!: string;
  @Column('text') slug!: string;
  /** As `checkRepositoryUrl` writes it; null while no repository is linked. */
  @Column('text', { name: 'repo_url', nullable: true }) repoUrl!: string | null;
  /** Null: to be found out from the repository, as the next five. */
  @Column('text', { nullable: true }) framework!: Framework | null;
  @Column('text', { name: 'root_directory', nullable: true }) rootDirectory!: string | null;
  @Column('text', { name: 'install_command', nullable: true }) installCommand!: string | null;
  @Column('text', { name: 'build_command', nullable: true }) buildCommand!: string | null;
  @Column('text', { name: 'output_directory', nullable: true }) outputDirectory!: string | null;
  @Column('text', { name: 'node_version', nullable: true }) nodeVersion!: NodeVersion | null;
  @Column('text', { name: 'production_branch' }) productionBranch!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
}
