import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { DoomedBlobsStore } from '../persistence/doomed-blobs.store.js';
import { ObjectBlobs } from '../writes/object-blobs.js';
import { doomedBlobsSchedule } from './objects.job.js';

const BATCH = 200;

@Injectable()
@Handles(doomedBlobsSchedule)
export class DoomedBlobsSweeper implements ScheduleHandler {
  constructor(
    private readonly doomed: DoomedBlobsStore,
    private readonly blobs: ObjectBlobs,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    await inBatches((limit) => this.reap(limit), { size: BATCH, stopping });
    await this.blobs.tidy();
  }

  /** The rows go last: what fails in between is done again. */
  private async reap(limit: number): Promise<number> {
    const due = await this.doomed.due(this.clock.now(), limit);
    for (const blob of due) await this.blobs.delete(blob);
    await this.doomed.remove(due);
    return due.length;
  }
}
