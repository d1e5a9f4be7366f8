import { Injectable } from '@nestjs/common';
import { Handles } from '../../../platform/background/handles.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Clock } from '../../../platform/time/clock.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { UploadedTrees } from '../../repositories/uploaded-trees.js';
import { UploadsStore } from '../persistence/uploads.store.js';
import { uploadSweepSchedule } from './uploads.job.js';

const DAY_MS = 86_400_000;
const KEPT_DAYS = 7;
/** Deploys that still wait may need a store that was retired. */
const RETIRED_DAYS = 1;
const BATCH = 20;

@Injectable()
@Handles(uploadSweepSchedule)
export class UploadsSweeper implements ScheduleHandler {
  constructor(
    private readonly uploads: UploadsStore,
    private readonly trees: UploadedTrees,
    private readonly projects: ProjectsService,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    const before = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
    await this.uploads.deleteOlderThan(before(KEPT_DAYS));
    await this.uploads.retireUnusedSince(before(KEPT_DAYS), now);
    const deleted = await this.projects.findDeletedIds(await this.uploads.projectsWithStore());
    await this.uploads.retireStoresOf(deleted, now);
    for (const { id } of await this.uploads.retiredBefore(before(RETIRED_DAYS), BATCH)) {
      // The row goes last, so that a failure leaves something to try again with.
      await this.trees.remove(id);
      await this.uploads.deleteStore(id);
    }
  }
}
