import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import type { RepositoryBranch } from '../persistence/repository-branch.entity.js';
import { RepositoriesService } from './repositories.service.js';

/** A branch as lists show it. */
export interface ShownBranch {
  readonly branch: RepositoryBranch;
  readonly isDefault: boolean;
}

/** Shows the branches of repositories as the last push has left them. Nothing is read from disk. */
@Injectable()
export class RepositoryBranches {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly store: RepositoriesStore,
  ) {}

  /**
   * Lists the branches by name.
   *
   * @throws {RepositoryNotFound} `repository_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, repositoryId: string, page: PageRequest): Promise<Page<ShownBranch>> {
    const { id, defaultBranch } = await this.repositories.get(call, repositoryId, 'repositories:read');
    const { items, next } = await this.store.listBranches(id, page);
    return { items: items.map((branch) => ({ branch, isDefault: branch.name === defaultBranch })), next };
  }

  /** Returns the branch of each repository that was pushed last. Those that were never pushed to are left out. */
  lastPushesOf(repositoryIds: readonly string[]): Promise<ReadonlyMap<string, RepositoryBranch>> {
    return this.store.lastPushesOf(repositoryIds);
  }
}
