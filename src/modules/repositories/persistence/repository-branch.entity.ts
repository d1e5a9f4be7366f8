import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CommitFacts } from '../domain/commit-facts.js';

/** The last known state of a branch. */
@Entity('repository_branches')
export class RepositoryBranch {
  @PrimaryColumn('text', { name: 'repository_id' }) repositoryId!: string;
  @PrimaryColumn('text') name!: string;
  @Column('text', { name: 'commit_sha' }) commitSha!: string;
  /** Null for a branch that was not pushed since this is recorded. */
  @Column('timestamptz', { name: 'pushed_at', nullable: true }) pushedAt!: Date | null;
  /** The commit that the next two describe, which may be an earlier one. */
  @Column('text', { name: 'described_commit', nullable: true }) describedCommit!: string | null;
  @Column('timestamptz', { name: 'committed_at', nullable: true }) committedAt!: Date | null;
  @Column('text', { nullable: true }) message!: string | null;

  /** The commit that the branch points to, as far as it is known. */
  get commit(): CommitFacts {
    const isDescribed = this.describedCommit === this.commitSha;
    return {
      sha: this.commitSha,
      message: isDescribed ? this.message : null,
      committedAt: isDescribed ? this.committedAt : null,
    };
  }
}
