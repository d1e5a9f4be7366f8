import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { BareRepositories } from '../git/bare-repositories.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import type { PushedBranch } from '../push-reporters.js';

/** Reads message and time of pushed commits, which lists of branches show. */
@Injectable()
export class PushedCommits {
  constructor(
    private readonly store: BareRepositories,
    private readonly repositories: RepositoriesStore,
    private readonly log: Log,
  ) {}

  /** Never throws: a commit that cannot be read in time is shown by its hash alone. */
  async describe(repositoryId: string, branches: readonly PushedBranch[]): Promise<void> {
    const commits = [...new Set(branches.map(({ commitSha }) => commitSha))];
    if (commits.length === 0) return;
    try {
      await this.repositories.describe(repositoryId, await this.store.commits(repositoryId, commits));
    } catch (error) {
      this.log.warn({ error, repositoryId }, 'The pushed commits could not be described.');
    }
  }
}
