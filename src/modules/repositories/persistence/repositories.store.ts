import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import type { CommitFacts } from '../domain/commit-facts.js';
import { RepositoryNameTaken } from '../repositories.errors.js';
import { Repository } from './repository.entity.js';
import { RepositoryBranch } from './repository-branch.entity.js';

const CAN_NAME = /^repo_[0-9a-z]{26}$/;

const NAME_CONSTRAINT = 'repositories_name_unique';

@Injectable()
export class RepositoriesStore {
  constructor(private readonly database: Database) {}

  /** @throws {RepositoryNameTaken} `already_exists` */
  async insert(repository: Repository): Promise<void> {
    try {
      await this.database.manager.insert(Repository, repository);
    } catch (error) {
      throw violatedConstraintOf(error) === NAME_CONSTRAINT ? new RepositoryNameTaken(repository.name) : error;
    }
  }

  async update(id: string, change: Partial<Repository>): Promise<void> {
    await this.database.manager.update(Repository, { id }, change);
  }

  /**
   * Finds a repository of these organizations. Returns null for any other or a deleted one, as for one that never
   * existed.
   */
  async find(id: string, orgIds: readonly string[]): Promise<Repository | null> {
    return CAN_NAME.test(id) ? this.of(id, orgIds).getOne() : null;
  }

  /** Finds like {@link find}, and locks the repository until the transaction ends. */
  async findForChange(id: string, orgIds: readonly string[]): Promise<Repository | null> {
    return CAN_NAME.test(id) ? this.of(id, orgIds).setLock('pessimistic_write').getOne() : null;
  }

  /** Finds a repository that this service hosts. */
  findByName(orgId: string, name: string): Promise<Repository | null> {
    return this.live()
      .andWhere("repository.provider = 'service'")
      .andWhere('repository.org_id = :orgId AND lower(repository.name) = lower(:name)', { orgId, name })
      .getOne();
  }

  /** Returns the newest repositories first. */
  async list(orgId: string, page: PageRequest): Promise<Page<Repository>> {
    const query = this.provisioned()
      .andWhere('repository.org_id = :orgId', { orgId })
      .orderBy('repository.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('repository.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  count(orgId: string): Promise<number> {
    return this.live().andWhere('repository.org_id = :orgId', { orgId }).getCount();
  }

  /** Finds a repository of an organization by its id at another provider. */
  findByRemote(orgId: string, remoteId: number): Promise<Repository | null> {
    return this.live()
      .andWhere('repository.org_id = :orgId AND repository.remote_id = :remoteId', { orgId, remoteId })
      .getOne();
  }

  /** Deletes the rows of repositories at another provider, which have no data here. */
  async forgetRemote(orgId: string, remoteIds: readonly number[], now: Date): Promise<void> {
    await this.database.manager.query(
      `
      UPDATE repositories SET deleted_at = $3, removed_at = $3
      WHERE org_id = $1 AND remote_id = ANY($2) AND deleted_at IS NULL`,
      [orgId, remoteIds, now],
    );
  }

  /** Deletes all repositories of an organization. What another provider has stays there. */
  async deleteAllOf(orgId: string, now: Date): Promise<void> {
    await this.database.manager.query(
      `
      UPDATE repositories
      SET deleted_at = $2, removed_at = CASE WHEN provider = 'service' THEN NULL ELSE $2::timestamptz END
      WHERE org_id = $1 AND deleted_at IS NULL`,
      [orgId, now],
    );
  }

  /** Releases names whose repository another provider never created, because a process ended in between. */
  async forgetUnmade(begunBefore: Date, now: Date): Promise<void> {
    await this.database.manager.query(
      `
      UPDATE repositories SET deleted_at = $2, removed_at = $2
      WHERE provider <> 'service' AND provisioned_at IS NULL AND deleted_at IS NULL AND created_at < $1`,
      [begunBefore, now],
    );
  }

  async branchesOf(repositoryId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.manager.findBy(RepositoryBranch, { repositoryId });
    return new Map(rows.map(({ name, commitSha }) => [name, commitSha]));
  }

  /** Returns the branches by name. */
  async listBranches(repositoryId: string, page: PageRequest): Promise<Page<RepositoryBranch>> {
    // The order of bytes, as the cursor compares them, and not that of a language.
    const query = this.database.manager
      .createQueryBuilder(RepositoryBranch, 'branch')
      .where('branch.repository_id = :repositoryId', { repositoryId })
      .orderBy('branch.name COLLATE "C"')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('branch.name COLLATE "C" > :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ name }) => name);
  }

  /** Returns the branch of each repository that was pushed last. Those that were never pushed to are left out. */
  async lastPushesOf(repositoryIds: readonly string[]): Promise<ReadonlyMap<string, RepositoryBranch>> {
    if (repositoryIds.length === 0) return new Map();
    const branches = await this.database.manager
      .createQueryBuilder(RepositoryBranch, 'branch')
      .where(
        `(branch.repository_id, branch.name) IN (
          SELECT last.repository_id, last.name FROM unnest(:repositoryIds::text[]) AS wanted (id), LATERAL (
            SELECT repository_id, name FROM repository_branches
            WHERE repository_id = wanted.id AND pushed_at IS NOT NULL ORDER BY pushed_at DESC, name LIMIT 1) AS last)`,
        { repositoryIds: [...repositoryIds] },
      )
      .getMany();
    return new Map(branches.map((branch) => [branch.repositoryId, branch]));
  }

  countBranches(repositoryId: string): Promise<number> {
    return this.database.manager.countBy(RepositoryBranch, { repositoryId });
  }

  /** Adds the branch of the first commit, which nobody pushed. Keeps the row of a branch that is already known. */
  async addBranch(repositoryId: string, name: string, { sha, message, committedAt }: CommitFacts): Promise<void> {
    await this.database.manager
      .createQueryBuilder()
      .insert()
      .into(RepositoryBranch)
      .values({ repositoryId, name, commitSha: sha, describedCommit: sha, message, committedAt })
      .orIgnore()
      .execute();
  }

  /** Records that a branch was pushed; without a commit, that it was deleted. */
  async setBranch(repositoryId: string, name: string, commitSha: string | null, pushedAt: Date): Promise<void> {
    if (commitSha === null) await this.database.manager.delete(RepositoryBranch, { repositoryId, name });
    else
      await this.database.manager.upsert(RepositoryBranch, { repositoryId, name, commitSha, pushedAt }, [
        'repositoryId',
        'name',
      ]);
  }

  /** Describes the commits of those branches that point to them now. */
  async describe(repositoryId: string, commits: readonly CommitFacts[]): Promise<void> {
    await this.database.manager.query(
      `
      UPDATE repository_branches SET described_commit = commit.sha, message = commit.message,
        committed_at = commit.committed_at
      FROM unnest($2::text[], $3::text[], $4::timestamptz[]) AS commit (sha, message, committed_at)
      WHERE repository_id = $1 AND commit_sha = commit.sha`,
      [
        repositoryId,
        commits.map(({ sha }) => sha),
        commits.map(({ message }) => message),
        commits.map(({ committedAt }) => committedAt),
      ],
    );
  }

  /** Returns repositories with a push that began before this time and was never completed. */
  unseenPushes(begunBefore: Date, limit: number): Promise<Repository[]> {
    return this.live()
      .andWhere('repository.push_begun_at < :begunBefore', { begunBefore })
      .orderBy('repository.push_begun_at')
      .limit(limit)
      .getMany();
  }

  /** Returns deleted repositories whose directory may still exist. */
  toRemove(limit: number): Promise<Repository[]> {
    return this.database.manager
      .createQueryBuilder(Repository, 'repository')
      .where('repository.deleted_at IS NOT NULL AND repository.removed_at IS NULL')
      .orderBy('repository.deleted_at')
      .limit(limit)
      .getMany();
  }

  /** Returns repositories with at least this many pushes since they were compacted. */
  toTidyUp(pushes: number, limit: number): Promise<Repository[]> {
    return this.live()
      .andWhere('repository.pushes_since_gc >= :pushes', { pushes })
      .orderBy('repository.pushes_since_gc', 'DESC')
      .limit(limit)
      .getMany();
  }

  private of(id: string, orgIds: readonly string[]): SelectQueryBuilder<Repository> {
    return this.provisioned().andWhere('repository.id = :id AND repository.org_id = ANY(:orgIds)', { id, orgIds });
  }

  /** Excludes repositories that another provider is still creating. */
  private provisioned(): SelectQueryBuilder<Repository> {
    return this.live().andWhere("(repository.provider = 'service' OR repository.provisioned_at IS NOT NULL)");
  }

  private live(): SelectQueryBuilder<Repository> {
    return this.database.manager.createQueryBuilder(Repository, 'repository').where('repository.deleted_at IS NULL');
  }
}
