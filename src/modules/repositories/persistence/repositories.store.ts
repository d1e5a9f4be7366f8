import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
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

  /** Of these organizations; null for any other or a deleted one, as for one that never was. */
  async find(id: string, orgIds: readonly string[]): Promise<Repository | null> {
    return CAN_NAME.test(id) ? this.of(id, orgIds).getOne() : null;
  }

  /** As {@link find}, and nobody else changes it until the transaction ends. */
  async findForChange(id: string, orgIds: readonly string[]): Promise<Repository | null> {
    return CAN_NAME.test(id) ? this.of(id, orgIds).setLock('pessimistic_write').getOne() : null;
  }

  /** One that the service keeps. */
  findByName(orgId: string, name: string): Promise<Repository | null> {
    return this.live()
      .andWhere("repository.provider = 'service'")
      .andWhere('repository.org_id = :orgId AND lower(repository.name) = lower(:name)', { orgId, name })
      .getOne();
  }

  /** Newest first. */
  async list(orgId: string, page: PageRequest): Promise<Page<Repository>> {
    const query = this.made()
      .andWhere('repository.org_id = :orgId', { orgId })
      .orderBy('repository.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('repository.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  count(orgId: string): Promise<number> {
    return this.live().andWhere('repository.org_id = :orgId', { orgId }).getCount();
  }

  /** What another provider calls so, in an organization. */
  findByRemote(orgId: string, remoteId: number): Promise<Repository | null> {
    return this.live()
      .andWhere('repository.org_id = :orgId AND repository.remote_id = :remoteId', { orgId, remoteId })
      .getOne();
  }

  /** They are another provider's, and nothing of theirs is here: the rows are all there is to end. */
  async forgetRemote(orgId: string, remoteIds: readonly number[], now: Date): Promise<void> {
    await this.database.manager.query(
      'UPDATE repositories SET deleted_at = $3, removed_at = $3 WHERE org_id = $1 AND remote_id = ANY($2) AND deleted_at IS NULL',
      [orgId, remoteIds, now],
    );
  }

  /** Names that were taken for what another provider then did not make, because a process ended in between. */
  async forgetUnmade(begunBefore: Date, now: Date): Promise<void> {
    await this.database.manager.query(
      "UPDATE repositories SET deleted_at = $2, removed_at = $2 WHERE provider <> 'service' AND provisioned_at IS NULL AND deleted_at IS NULL AND created_at < $1",
      [begunBefore, now],
    );
  }

  async branchesOf(repositoryId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.manager.findBy(RepositoryBranch, { repositoryId });
    return new Map(rows.map(({ name, commitSha }) => [name, commitSha]));
  }

  /** What is known of it already stays. */
  async addBranch(repositoryId: string, name: string, commitSha: string): Promise<void> {
    await this.database.manager
      .createQueryBuilder()
      .insert()
      .into(RepositoryBranch)
      .values({ repositoryId, name, commitSha })
      .orIgnore()
      .execute();
  }

  async setBranch(repositoryId: string, name: string, commitSha: string | null): Promise<void> {
    if (commitSha === null) await this.database.manager.delete(RepositoryBranch, { repositoryId, name });
    else
      await this.database.manager.upsert(RepositoryBranch, { repositoryId, name, commitSha }, ['repositoryId', 'name']);
  }

  /** Pushes that began before then and whose end nobody saw. */
  unseenPushes(begunBefore: Date, limit: number): Promise<Repository[]> {
    return this.live()
      .andWhere('repository.push_begun_at < :begunBefore', { begunBefore })
      .orderBy('repository.push_begun_at')
      .limit(limit)
      .getMany();
  }

  /** Deleted ones whose directory may still be there. */
  toRemove(limit: number): Promise<Repository[]> {
    return this.database.manager
      .createQueryBuilder(Repository, 'repository')
      .where('repository.deleted_at IS NOT NULL AND repository.removed_at IS NULL')
      .orderBy('repository.deleted_at')
      .limit(limit)
      .getMany();
  }

  /** Those that have been pushed to at least so often since they were tidied up. */
  toTidyUp(pushes: number, limit: number): Promise<Repository[]> {
    return this.live()
      .andWhere('repository.pushes_since_gc >= :pushes', { pushes })
      .orderBy('repository.pushes_since_gc', 'DESC')
      .limit(limit)
      .getMany();
  }

  private of(id: string, orgIds: readonly string[]): SelectQueryBuilder<Repository> {
    return this.made().andWhere('repository.id = :id AND repository.org_id = ANY(:orgIds)', { id, orgIds });
  }

  /** One that another provider is still making is not there yet. */
  private made(): SelectQueryBuilder<Repository> {
    return this.live().andWhere("(repository.provider = 'service' OR repository.provisioned_at IS NOT NULL)");
  }

  private live(): SelectQueryBuilder<Repository> {
    return this.database.manager.createQueryBuilder(Repository, 'repository').where('repository.deleted_at IS NULL');
  }
}
