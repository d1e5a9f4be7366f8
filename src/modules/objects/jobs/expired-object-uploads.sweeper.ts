import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { MultipartService } from '../multipart/multipart.service.js';
import { ObjectUploadNotFound } from '../objects.errors.js';
import { CompletedUploadsStore } from '../persistence/completed-uploads.store.js';
import { ObjectUploadsStore } from '../persistence/object-uploads.store.js';
import { expiredObjectUploadsSchedule } from './objects.job.js';

const KEPT_MS = 7 * 86_400_000;
const BATCH = 100;

@Injectable()
@Handles(expiredObjectUploadsSchedule)
export class ExpiredObjectUploadsSweeper implements ScheduleHandler {
  constructor(
    private readonly uploads: ObjectUploadsStore,
    private readonly multipart: MultipartService,
    private readonly completed: CompletedUploadsStore,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    await inBatches((limit) => this.giveUp(before, limit), { size: BATCH, stopping });
    await inBatches((limit) => this.completed.deleteBefore(before, limit), { size: BATCH, stopping });
  }

  private async giveUp(before: Date, limit: number): Promise<number> {
    const expired = await this.uploads.begunBefore(before, limit);
    for (const { id, bucketId, orgId } of expired)
      await this.multipart.abort({ id: bucketId, orgId }, id).catch(ignoreOver);
    return expired.length;
  }
}

/** It was completed or aborted meanwhile. */
function ignoreOver(error: unknown): void {
  if (!(error instanceof ObjectUploadNotFound)) throw error;
}
