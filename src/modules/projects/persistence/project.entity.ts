import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type BuildNetwork, DEFAULT_BRANCH, type Framework, type NodeVersion } from '../project-settings.js';

/** The settings of a project that its members choose. */
export type Settings = Pick<
  Project,
  | 'name'
  | 'slug'
  | 'repoUrl'
  | 'framework'
  | 'rootDirectory'
  | 'installCommand'
  | 'buildCommand'
  | 'outputDirectory'
  | 'nodeVersion'
  | 'startCommand'
  | 'healthPath'
  | 'startTimeoutMs'
  | 'buildNetwork'
  | 'productionBranch'
>;

type NewSettings = Partial<Settings> & Pick<Settings, 'name' | 'slug'>;

/**
 * A project, which is the unit of deployment. A deleted project keeps its row for references, and releases its slug.
 */
@Entity('projects')
export class Project {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text') name!: string;
  @Column('text') slug!: string;
  /** The URL as normalized by `checkRepositoryUrl`; null while no repository is linked. */
  @Column('text', { name: 'repo_url', nullable: true }) repoUrl!: string | null;
  /** Null to detect the value from the repository, as for the next six fields. */
  @Column('text', { nullable: true }) framework!: Framework | null;
  @Column('text', { name: 'root_directory', nullable: true }) rootDirectory!: string | null;
  @Column('text', { name: 'install_command', nullable: true }) installCommand!: string | null;
  @Column('text', { name: 'build_command', nullable: true }) buildCommand!: string | null;
  @Column('text', { name: 'output_directory', nullable: true }) outputDirectory!: string | null;
  @Column('text', { name: 'node_version', nullable: true }) nodeVersion!: NodeVersion | null;
  @Column('text', { name: 'start_command', nullable: true }) startCommand!: string | null;
  /** Null for the default of the service, as for the next two fields. */
  @Column('text', { name: 'health_path', nullable: true }) healthPath!: string | null;
  @Column('int', { name: 'start_timeout_ms', nullable: true }) startTimeoutMs!: number | null;
  @Column('text', { name: 'build_network', nullable: true }) buildNetwork!: BuildNetwork | null;
  @Column('text', { name: 'production_branch' }) productionBranch!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt!: Date | null;

  /** Creates a project with the given settings, and defaults for the others. */
  static create(settings: NewSettings, { id, orgId, at }: { id: string; orgId: string; at: Date }): Project {
    const project = new Project();
    project.id = id;
    project.orgId = orgId;
    project.name = settings.name;
    project.slug = settings.slug;
    project.repoUrl = settings.repoUrl ?? null;
    project.framework = settings.framework ?? null;
    project.rootDirectory = settings.rootDirectory ?? null;
    project.installCommand = settings.installCommand ?? null;
    project.buildCommand = settings.buildCommand ?? null;
    project.outputDirectory = settings.outputDirectory ?? null;
    project.nodeVersion = settings.nodeVersion ?? null;
    project.startCommand = settings.startCommand ?? null;
    project.healthPath = settings.healthPath ?? null;
    project.startTimeoutMs = settings.startTimeoutMs ?? null;
    project.buildNetwork = settings.buildNetwork ?? null;
    project.productionBranch = settings.productionBranch ?? DEFAULT_BRANCH;
    project.createdAt = project.updatedAt = at;
    project.deletedAt = null;
    return project;
  }

  /** Applies the settings that differ, and returns their names. */
  change(settings: Partial<Settings>, at: Date): (keyof Settings)[] {
    const changed = (Object.keys(settings) as (keyof Settings)[]).filter((name) => settings[name] !== this[name]);
    if (changed.length > 0) Object.assign(this, settings, { updatedAt: at });
    return changed;
  }

  delete(at: Date): void {
    this.deletedAt = this.updatedAt = at;
  }
}
