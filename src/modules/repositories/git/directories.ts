import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import type { Repository } from '../persistence/repository.entity.js';
import { TemplateCatalog } from '../templates/template-catalog.js';
import { BareRepositories } from './bare-repositories.js';

/**
 * Keeps directories consistent with the rows. A directory is created only for a row that never had one, so that a lost
 * directory is never silently recreated empty. It is removed only for a deleted row, whatever else exists on disk.
 */
@Injectable()
export class Directories {
  constructor(
    private readonly repositories: RepositoriesStore,
    private readonly store: BareRepositories,
    private readonly templates: TemplateCatalog,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  pathOf({ id }: Repository): string {
    return this.store.pathOf(id);
  }

  /** Creates the directory if it does not exist yet. */
  async ensure(repository: Repository): Promise<void> {
    if (repository.provisionedAt !== null) return;
    const { id, template, defaultBranch, createdAt } = repository;
    const first =
      template === null
        ? undefined
        : {
            message: `Start from the template ${template}`,
            at: createdAt,
            files: await this.templates.filesOf(template),
          };
    const commitSha = await this.store.create(id, defaultBranch, first);
    const { sizeBytes } = await this.store.look(id);
    // The first commit is not a push.
    if (commitSha !== undefined)
      await this.repositories.addBranch(id, defaultBranch, {
        sha: commitSha,
        message: first?.message ?? null,
        committedAt: first?.at ?? null,
      });
    await this.repositories.update(id, { provisionedAt: this.clock.now(), sizeBytes });
  }

  async remove({ id }: Repository): Promise<void> {
    await this.store.remove(id);
    await this.repositories.update(id, { removedAt: this.clock.now() });
  }

  /** Removes like {@link remove}; after a failure the sweeper retries. */
  async removeIfPossible(repository: Repository): Promise<void> {
    try {
      await this.remove(repository);
    } catch (error) {
      this.log.warn(
        { error, repositoryId: repository.id },
        'The directory of a deleted repository could not be removed yet.',
      );
    }
  }
}
