import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Provider } from '../domain/provider.js';
import type { TemplateName } from '../domain/template-name.js';

const DEFAULT_BRANCH = 'main';

type ProvisionedRepository = Pick<Repository, 'remoteId' | 'cloneUrl' | 'defaultBranch' | 'provisionedAt'>;

/**
 * A git repository. Of one that this service keeps, the row comes first and its directory after the commit, so that
 * there is no directory without a row; one that is deleted keeps its row, for what refers to it, and gives its name
 * free.
 */
@Entity('repositories')
export class Repository {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text') name!: string;
  @Column('text', { default: 'service' }) provider!: Provider;
  /** What its provider calls it, and where it is cloned from; null for one of our own. */
  @Column('bigint', {
    name: 'remote_id',
    nullable: true,
    transformer: {
      to: (value: number | null) => value,
      from: (value: string | null) => (value === null ? null : Number(value)),
    },
  })
  remoteId!: number | null;
  @Column('text', { name: 'clone_url', nullable: true }) cloneUrl!: string | null;
  /** Null: it began empty. */
  @Column('text', { nullable: true }) template!: TemplateName | null;
  @Column('text', { name: 'default_branch' }) defaultBranch!: string;
  /** On disk, after the last push. */
  @Column('bigint', { name: 'size_bytes', transformer: { to: (value: number) => value, from: Number } })
  sizeBytes!: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  /** Null until its directory has been made, or its provider has made it. */
  @Column('timestamptz', { name: 'provisioned_at', nullable: true }) provisionedAt!: Date | null;
  /** Set while somebody pushes, and until what was pushed has been seen. */
  @Column('timestamptz', { name: 'push_begun_at', nullable: true }) pushBegunAt!: Date | null;
  /** The user who pushed last. */
  @Column('text', { name: 'pushed_by', nullable: true }) pushedBy!: string | null;
  @Column('integer', { name: 'pushes_since_gc' }) pushesSinceGc!: number;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
  /** When the directory of a deleted one was gone. */
  @Column('timestamptz', { name: 'removed_at', nullable: true }) removedAt!: Date | null;

  /** A repository that neither this service nor its provider has made yet. */
  static requested(
    { name, provider, template }: Pick<Repository, 'name' | 'provider' | 'template'>,
    { id, orgId, at }: { id: string; orgId: string; at: Date },
  ): Repository {
    const repository = new Repository();
    repository.id = id;
    repository.orgId = orgId;
    repository.name = name;
    repository.provider = provider;
    repository.template = template;
    repository.remoteId = repository.cloneUrl = null;
    repository.defaultBranch = DEFAULT_BRANCH;
    repository.sizeBytes = 0;
    repository.createdAt = at;
    repository.provisionedAt = null;
    repository.pushBegunAt = repository.pushedBy = null;
    repository.pushesSinceGc = 0;
    repository.deletedAt = repository.removedAt = null;
    return repository;
  }

  /** The provider has made it. */
  provisioned(remote: Pick<Repository, 'remoteId' | 'cloneUrl' | 'defaultBranch'>, at: Date): ProvisionedRepository {
    this.remoteId = remote.remoteId;
    this.cloneUrl = remote.cloneUrl;
    this.defaultBranch = remote.defaultBranch;
    this.provisionedAt = at;
    return { ...remote, provisionedAt: at };
  }
}
