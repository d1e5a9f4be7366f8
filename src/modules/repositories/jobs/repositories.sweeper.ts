import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { GithubDeliveries } from '../../github/github-deliveries.js';
import { Directories } from '../git/directories.js';
import { BareRepositories } from '../git/bare-repositories.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import { PushedCommits } from '../pushes/pushed-commits.js';
import { PushesService } from '../pushes/pushes.service.js';
import { repositoriesSchedule } from './repositories.job.js';

/** Exceeds the longest possible push. */
const PUSH_OVER_AFTER_MS = 35 * 60_000;
/** Exceeds the time in which another provider creates a repository. */
const UNMADE_AFTER_MS = 10 * 60_000;
const TIDY_UP_AFTER_PUSHES = 30;
/** The number of repositories of each kind in one sweep. */
const BATCH = 20;

/** Finishes interrupted work, for example after the end of a process, and keeps repositories small. */
@Injectable()
@Handles(repositoriesSchedule)
export class RepositoriesSweeper implements ScheduleHandler {
  constructor(
    private readonly repositories: RepositoriesStore,
    private readonly directories: Directories,
    private readonly store: BareRepositories,
    private readonly pushes: PushesService,
    private readonly commits: PushedCommits,
    private readonly deliveries: GithubDeliveries,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    for (const repository of await this.repositories.toRemove(BATCH)) await this.directories.remove(repository);
    const begunBefore = new Date(this.clock.now().getTime() - PUSH_OVER_AFTER_MS);
    for (const repository of await this.repositories.unseenPushes(begunBefore, BATCH)) {
      const seen = await this.pushes.see(repository, repository.pushedBy);
      if (seen !== undefined) await this.commits.describe(repository.id, seen.branches);
    }
    for (const { id } of await this.repositories.toTidyUp(TIDY_UP_AFTER_PUSHES, BATCH)) {
      await this.repositories.update(id, { sizeBytes: await this.store.tidyUp(id), pushesSinceGc: 0 });
    }
    await this.store.removeUnfinished();
    await this.repositories.forgetUnmade(new Date(this.clock.now().getTime() - UNMADE_AFTER_MS), this.clock.now());
    await this.deliveries.forgetOld();
  }
}
