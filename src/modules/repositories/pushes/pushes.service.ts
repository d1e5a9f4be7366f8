import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { BareRepositories } from '../git/bare-repositories.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import type { Repository } from '../persistence/repository.entity.js';
import { RepositoriesMetrics } from '../metrics/repositories.metrics.js';
import { RepositoryUrls } from '../hosted/repository-urls.js';
import type { PushedBranch } from '../push-reporters.js';
import { repositoryPushedEvent } from '../repository-pushed.job.js';

/** The branches that a push has created or moved. */
export interface SeenPush {
  readonly repoUrl: string;
  readonly branches: readonly PushedBranch[];
  /** The time just before the changes were recorded. */
  readonly since: Date;
}

/**
 * Detects pushed changes by comparing the branches with their last known state. The result does not depend on how a
 * push ended, or on concurrent pushes and checks: each change is reported once.
 */
@Injectable()
export class PushesService {
  constructor(
    private readonly database: Database,
    private readonly repositories: RepositoriesStore,
    private readonly store: BareRepositories,
    private readonly urls: RepositoryUrls,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly metrics: RepositoriesMetrics,
  ) {}

  /** Marks the start of a push: until {@link see}, the branches may differ from their last known state. */
  async begin({ id }: Pick<Repository, 'id'>, userId: string): Promise<void> {
    await this.repositories.update(id, { pushBegunAt: this.clock.now(), pushedBy: userId });
  }

  /**
   * Publishes an event for each branch that has changed since the last check, and returns the repository's URL with the
   * branches that still exist. `pusherId` is null when it is unknown.
   */
  see({ id, orgId }: Pick<Repository, 'id' | 'orgId'>, pusherId: string | null): Promise<SeenPush | undefined> {
    return this.database.transaction(async () => {
      // Later checks see what this one has recorded. The comparison takes milliseconds, and must happen under the lock.
      const repository = await this.repositories.findForChange(id, [orgId]);
      if (repository === null) return undefined;
      const since = this.clock.now();
      const { branches, isWhole, sizeBytes } = await this.store.look(id);
      const changes = changesOf(await this.repositories.branchesOf(id), branches, isWhole);
      const repoUrl = await this.urls.of(repository);
      for (const [branch, commitSha] of changes) {
        await this.repositories.setBranch(id, branch, commitSha, since);
        await this.outbox.publish(repositoryPushedEvent, {
          repositoryId: id,
          orgId,
          repoUrl,
          branch,
          commitSha,
          pusherId,
        });
      }
      await this.repositories.update(id, { sizeBytes, pushBegunAt: null, pushesSinceGc: repository.pushesSinceGc + 1 });
      await this.database.afterCommit(() => {
        this.metrics.pushed(changes.size);
        return Promise.resolve();
      });
      return {
        repoUrl,
        since,
        branches: [...changes].flatMap(([name, commitSha]) => (commitSha === null ? [] : [{ name, commitSha }])),
      };
    });
  }
}

/** Returns the changed branches with their commits; null for a deleted branch. */
function changesOf(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  isWhole: boolean,
): Map<string, string | null> {
  const moved = [...now].filter(([branch, commitSha]) => before.get(branch) !== commitSha);
  const gone = [...before.keys()]
    .filter((branch) => isWhole && !now.has(branch))
    .map((branch): [string, null] => [branch, null]);
  return new Map<string, string | null>([...moved, ...gone]);
}
