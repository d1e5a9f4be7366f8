import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last known state of a branch. */
@Entity('repository_branches')
export class RepositoryBranch {
  @PrimaryColumn('text', { name: 'repository_id' }) repositoryId!: string;
  @PrimaryColumn('text') name!: string;
  @Column('text', { name: 'commit_sha' }) commitSha!: string;
}
