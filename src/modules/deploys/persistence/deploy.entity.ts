import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DeployOutput, DeploySettings, DeployTrigger } from '../domain/deploy-facts.js';
import type { DeployState, DeployType } from '../domain/deploy-state.js';
import { ProjectHasNoRepository } from '../deploys.errors.js';
import { settingsOf } from '../domain/project-settings.js';
import type { Project } from '../../projects/projects.service.js';

/** The input of a deploy, from the API or from a push. */
export interface RequestedDeploy {
  /** Defaults to the production branch of the project. */
  readonly branch?: string | undefined;
  readonly type: DeployType;
  /** Builds even if the same commit was built before. */
  readonly force: boolean;
  /** Defaults to the head of the branch when the deploy starts. */
  readonly commit?: string | undefined;
  /** The upload to deploy instead of a branch. */
  readonly uploadId?: string | undefined;
  /** The commit that a push has moved the branch to. */
  readonly pushedCommit?: string | undefined;
  readonly trigger: DeployTrigger;
  readonly requestedBy: string | null;
}

export type FetchedCommit = Readonly<Record<'commitSha' | 'commitMessage' | 'commitAuthor', string>>;

/** Stands for the repository of uploads. A build is reused only for a deploy with the same repository and commit. */
const uploadUrlOf = ({ id }: Project): string => `upload:${id}`;

/** A deploy of a commit: its request, its progress and its result. */
@Entity('deploys')
export class Deploy {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'project_id' }) projectId!: string;
  @Column('text') branch!: string;
  @Column('text') type!: DeployType;
  @Column('text') state!: DeployState;
  /** Increases whenever the deploy is admitted, so that an earlier attempt has no effect any more. */
  @Column('int') attempt!: number;
  /** The number of attempts whose worker was lost. */
  @Column('int') losses!: number;
  @Column('text') trigger!: DeployTrigger;
  /** Builds even if the same commit was built with the same settings. */
  @Column('boolean') force!: boolean;
  /** The git ref to fetch: the branch, or the commit that was requested. For an upload, it is the id of the upload. */
  @Column('text') ref!: string;
  /** Null for a deploy from a repository. */
  @Column('text', { name: 'upload_id', nullable: true }) uploadId!: string | null;
  /** The commit that a push has moved the branch to. What is fetched may be newer. */
  @Column('text', { name: 'pushed_commit', nullable: true }) pushedCommit!: string | null;
  @Column('text', { name: 'repo_url' }) repoUrl!: string;
  /** The settings, like the repository, are those of the project when the last attempt started. */
  @Column('jsonb') settings!: DeploySettings;
  @Column('text', { name: 'requested_by', nullable: true }) requestedBy!: string | null;
  @Column('text', { name: 'commit_sha', nullable: true }) commitSha!: string | null;
  @Column('text', { name: 'commit_message', nullable: true }) commitMessage!: string | null;
  @Column('text', { name: 'commit_author', nullable: true }) commitAuthor!: string | null;
  @Column('text', { name: 'error_code', nullable: true }) errorCode!: string | null;
  @Column('text', { name: 'error_message', nullable: true }) errorMessage!: string | null;
  @Column('jsonb', { nullable: true }) output!: DeployOutput | null;
  /** The earlier deploy whose files are reused, because there was nothing new to build. */
  @Column('text', { name: 'same_as', nullable: true }) sameAs!: string | null;
  /** Milliseconds by phase, in the order of the phases. */
  @Column('json', { name: 'phase_ms' }) phaseMs!: Readonly<Record<string, number>>;
  /** The time since when a job exists for the deploy, or null while the deploy waits for its turn. */
  @Column('timestamptz', { name: 'admitted_at', nullable: true }) admittedAt!: Date | null;
  /** The end of the worker's lease. A worker that does not renew it in time is considered lost. */
  @Column('timestamptz', { name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('text', { name: 'worker_id', nullable: true }) workerId!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  /** This time and the next two are those of the last attempt. */
  @Column('timestamptz', { name: 'initializing_at', nullable: true }) initializingAt!: Date | null;
  @Column('timestamptz', { name: 'building_at', nullable: true }) buildingAt!: Date | null;
  @Column('timestamptz', { name: 'deploying_at', nullable: true }) deployingAt!: Date | null;
  @Column('timestamptz', { name: 'ready_at', nullable: true }) readyAt!: Date | null;
  @Column('timestamptz', { name: 'finished_at', nullable: true }) finishedAt!: Date | null;
  /** The time when production was last pointed to the deploy. */
  @Column('timestamptz', { name: 'went_live_at', nullable: true }) wentLiveAt!: Date | null;
  /** The time when the files were removed, by retention or on request. */
  @Column('timestamptz', { name: 'files_removed_at', nullable: true }) filesRemovedAt!: Date | null;

  /**
   * Returns a deploy that waits for its turn, with the current settings of the project.
   *
   * @throws {ProjectHasNoRepository} `project_has_no_repository`
   */
  static queued(project: Project, request: RequestedDeploy, { id, at }: { id: string; at: Date }): Deploy {
    const { branch = project.productionBranch, commit, uploadId = null, type, force, trigger, requestedBy } = request;
    const repoUrl = uploadId === null ? project.repoUrl : uploadUrlOf(project);
    if (repoUrl === null) throw new ProjectHasNoRepository();
    const deploy = new Deploy();
    deploy.id = id;
    deploy.orgId = project.orgId;
    deploy.projectId = project.id;
    deploy.branch = branch;
    deploy.type = type;
    deploy.state = 'queued';
    deploy.attempt = 0;
    deploy.losses = 0;
    deploy.trigger = trigger;
    deploy.force = force;
    deploy.ref = uploadId ?? commit ?? branch;
    deploy.uploadId = uploadId;
    deploy.pushedCommit = request.pushedCommit ?? null;
    deploy.repoUrl = repoUrl;
    deploy.settings = settingsOf(project);
    deploy.requestedBy = requestedBy;
    deploy.commitSha = commit ?? null;
    deploy.commitMessage = deploy.commitAuthor = null;
    deploy.errorCode = deploy.errorMessage = null;
    deploy.output = null;
    deploy.sameAs = null;
    deploy.phaseMs = {};
    deploy.workerId = null;
    deploy.createdAt = at;
    deploy.admittedAt = deploy.leaseUntil = null;
    deploy.initializingAt = deploy.buildingAt = deploy.deployingAt = null;
    deploy.readyAt = deploy.finishedAt = deploy.wentLiveAt = deploy.filesRemovedAt = null;
    return deploy;
  }

  /** Stores the commit that was fetched. */
  fetched({ commitSha, commitMessage, commitAuthor }: FetchedCommit): void {
    this.commitSha = commitSha;
    this.commitMessage = commitMessage;
    this.commitAuthor = commitAuthor;
  }
}
