import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { GitStore } from '../git/git-store.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import type { Repository } from '../persistence/repository.entity.js';
import { RepositoriesMetrics } from '../metrics/repositories.metrics.js';
import { RepositoryUrls } from '../hosted/repository-urls.js';
import { repositoryPushedEvent } from '../repository-pushed.job.js';

/**
 * Finds out what was pushed, by comparing the branches with what was last seen of them. So it does not matter how a
 * push ended, who else pushed meanwhile, or whether somebody looks twice: each change is told once.
 */
@Injectable()
export class PushesService {
  constructor(
    private readonly database: Database,
    private readonly repositories: RepositoriesStore,
    private readonly store: GitStore,
    private readonly urls: RepositoryUrls,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly metrics: RepositoriesMetrics,
  ) {}

  /** From now on, and until {@link see}, the branches may differ from what is known of them. */
  async begin({ id }: Pick<Repository, 'id'>, userId: string): Promise<void> {
    await this.repositories.update(id, { pushBegunAt: this.clock.now(), pushedBy: userId });
  }

  /**
   * Enqueues a job for each branch that has changed since somebody last looked. `pusherId`: null where it is not known.
   */
  async see({ id, orgId }: Pick<Repository, 'id' | 'orgId'>, pusherId: string | null): Promise<void> {
    await this.database.transaction(async () => {
      // Whoever looks after us sees what we have seen. To look takes milliseconds, and must be done under the lock.
      const repository = await this.repositories.findForChange(id, [orgId]);
      if (repository === null) return;
      const { branches, isWhole, sizeBytes } = await this.store.look(id);
      const changes = changesOf(await this.repositories.branchesOf(id), branches, isWhole);
      const repoUrl = await this.urls.of(repository);
      for (const [branch, commitSha] of changes) {
        await this.repositories.setBranch(id, branch, commitSha);
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
    });
  }
}

/** By branch, what it points to now; null for one that is gone. */
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
