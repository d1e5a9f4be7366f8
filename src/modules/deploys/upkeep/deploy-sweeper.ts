import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { batchesOf, inBatches } from '../../../platform/database/in-batches.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { AliasesService } from '../../hosting/aliases.service.js';
import { ArtifactsService } from '../../hosting/artifacts.service.js';
import { GarbageCollectionService } from '../../hosting/garbage-collection.service.js';
import { deployLabel } from '../../hosting/labels.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DeployKeepingStore } from '../persistence/deploy-keeping.store.js';
import { DeployLogStore } from '../persistence/deploy-log.store.js';
import { DeployRemoval } from './deploy-removal.js';
import { deploySweepSchedule } from './upkeep.job.js';

const BATCH = 100;
const PAGE = 1_000;
const RULES = { productionDeploys: 10, previewDays: 30, graceHours: 24 };
const LOGS_KEPT_MS = 90 * 86_400_000;

/** Removes the files of deploys that nothing keeps, and logs that are old. */
@Injectable()
@Handles(deploySweepSchedule)
export class DeploySweeper implements ScheduleHandler {
  constructor(
    private readonly database: Database,
    private readonly keeping: DeployKeepingStore,
    private readonly removal: DeployRemoval,
    private readonly projects: ProjectsService,
    private readonly aliases: AliasesService,
    private readonly artifacts: ArtifactsService,
    private readonly garbage: GarbageCollectionService,
    private readonly logs: DeployLogStore,
    private readonly clock: Clock,
  ) {}

  /** False when another process is at it. */
  async run(stopping: AbortSignal = new AbortController().signal): Promise<boolean> {
    await this.removeGoneProjects(stopping);
    for (let after = ''; ;) {
      const released = await this.database.transaction(async () =>
        (await this.keeping.tryLock()) ? this.release(after) : undefined,
      );
      if (released === undefined) return false;
      for (const id of released.ids) await this.artifacts.remove(id);
      if (released.next === undefined || stopping.aborted) break;
      after = released.next;
    }
    const logsBefore = new Date(this.clock.now().getTime() - LOGS_KEPT_MS);
    await inBatches((limit) => this.logs.deleteOfThoseBefore(logsBefore, limit), { size: BATCH, stopping });
    await this.garbage.collect(this.kept());
    return true;
  }

  /** Queues tell of projects and organizations that are deleted; what was overlooked all the same is found here. */
  private async removeGoneProjects(stopping: AbortSignal): Promise<void> {
    const batches = batchesOf<string>((last = '', limit) => this.keeping.projectsWithFiles(last, limit), {
      size: PAGE,
      stopping,
    });
    for await (const ids of batches)
      for (const id of await this.projects.findDeletedIds(ids)) await this.removal.removeProject(id);
  }

  /**
   * Hosts and row first: nobody is led to files that are not there. `next`: after which to go on, undefined at the end.
   */
  private async release(after: string): Promise<{ ids: readonly string[]; next: string | undefined }> {
    const unkept = await this.keeping.unkept(RULES, after, BATCH);
    // Asked when they are locked, so that what was just made live is seen, and nothing of them is made live meanwhile.
    const shown = await this.aliases.shown(unkept);
    const ids = unkept.filter((id) => !shown.has(id));
    for (const id of ids) await this.aliases.release(deployLabel(id));
    await this.keeping.markRemoved(ids);
    return { ids, next: unkept.length < BATCH ? undefined : unkept.at(-1) };
  }

  private async *kept(): AsyncGenerator<string> {
    const batches = batchesOf<string>((last = '', limit) => this.keeping.kept(last, limit), { size: PAGE });
    for await (const ids of batches) yield* ids;
  }
}
