import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Provider } from '../domain/provider.js';
import type { TemplateName } from '../domain/template-name.js';

const DEFAULT_BRANCH = 'main';

type ProvisionedRepository = Pick<Repository, 'remoteId' | 'cloneUrl' | 'defaultBranch' | 'provisionedAt'>;

/**
 * A git repository. For a repository of this service the row comes first, and its directory after the commit, so that
 * no directory exists without a row. A deleted repository keeps its row for references, and releases its name.
 */
@Entity('repositories')
export class Repository {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text') name!: string;
  @Column('text', { default: 'service' }) provider!: Provider;
  /** The id at the provider, and the clone URL; null for a repository of this service. */
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
  /** Null for a repository that was created empty. */
  @Column('text', { nullable: true }) template!: TemplateName | null;
  @Column('text', { name: 'default_branch' }) defaultBranch!: string;
  /** The size on disk after the last push. */
  @Column('bigint', { name: 'size_bytes', transformer: { to: (value: number) => value, from: Number } })
  sizeBytes!: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  /** Null until the directory, or the repository at the provider, was created. */
  @Column('timestamptz', { name: 'provisioned_at', nullable: true }) provisionedAt!: Date | null;
  /** Set while a push is running, and until its changes were recorded. */
  @Column('timestamptz', { name: 'push_begun_at', nullable: true }) pushBegunAt!: Date | null;
  /** The user who pushed last. */
  @Column('text', { name: 'pushed_by', nullable: true }) pushedBy!: string | null;
  @Column('integer', { name: 'pushes_since_gc' }) pushesSinceGc!: number;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
  /** When the directory of a deleted repository was removed. */
  @Column('timestamptz', { name: 'removed_at', nullable: true }) removedAt!: Date | null;

  /** Creates a repository that does not exist yet, neither on disk nor at a provider. */
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

  /** Marks the repository as created by its provider. */
  provisioned(remote: Pick<Repository, 'remoteId' | 'cloneUrl' | 'defaultBranch'>, at: Date): ProvisionedRepository {
    this.remoteId = remote.remoteId;
    this.cloneUrl = remote.cloneUrl;
    this.defaultBranch = remote.defaultBranch;
    this.provisionedAt = at;
    return { ...remote, provisionedAt: at };
  }
}
