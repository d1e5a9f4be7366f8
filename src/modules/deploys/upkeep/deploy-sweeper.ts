import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { batchesOf, inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { GarbageCollectionService } from '../../hosting/garbage-collection.service.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DeployKeepingStore } from '../persistence/deploy-keeping.store.js';
import { DeployLogStore } from '../persistence/deploy-log.store.js';
import { DeployRemoval } from './deploy-removal.js';
import { FileRetention } from './file-retention.js';
import { deploySweepSchedule } from './upkeep.job.js';

const LOG_BATCH = 100;
const PAGE = 1_000;
const LOGS_KEPT_MS = 90 * 86_400_000;

/** Deletes what deploys no longer need: the files of deleted projects, files past their retention, and old logs. */
@Injectable()
@Handles(deploySweepSchedule)
export class DeploySweeper implements ScheduleHandler {
  constructor(
    private readonly retention: FileRetention,
    private readonly keeping: DeployKeepingStore,
    private readonly removal: DeployRemoval,
    private readonly projects: ProjectsService,
    private readonly garbage: GarbageCollectionService,
    private readonly logs: DeployLogStore,
    private readonly clock: Clock,
  ) {}

  /** False when another process is sweeping at the same time. */
  async run(stopping: AbortSignal = new AbortController().signal): Promise<boolean> {
    await this.removeDeletedProjects(stopping);
    if (!(await this.retention.run(stopping))) return false;
    const logsBefore = new Date(this.clock.now().getTime() - LOGS_KEPT_MS);
    await inBatches((limit) => this.logs.deleteFinishedBefore(logsBefore, limit), { size: LOG_BATCH, stopping });
    await this.garbage.collect(this.kept());
    return true;
  }

  /** Events report deleted projects and organizations. This finds those whose event was lost. */
  private async removeDeletedProjects(stopping: AbortSignal): Promise<void> {
    const batches = batchesOf<string>((last = '', limit) => this.keeping.projectsWithFiles(last, limit), {
      size: PAGE,
      stopping,
    });
    for await (const ids of batches)
      for (const id of await this.projects.findDeletedIds(ids)) await this.removal.removeProject(id);
  }

  private async *kept(): AsyncGenerator<string> {
    const batches = batchesOf<string>((last = '', limit) => this.keeping.kept(last, limit), { size: PAGE });
    for await (const ids of batches) yield* ids;
  }
}
