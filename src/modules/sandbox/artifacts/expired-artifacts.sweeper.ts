import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { ArtifactsStore } from '../persistence/artifacts.store.js';
import { ArtifactBlobs, keyOfArtifact } from './artifact-blobs.js';
import { expiredArtifactsSchedule } from './artifacts.job.js';

const BATCHES = { size: 100, most: 100 };

/** Deletes the files of executions whose day has passed. */
@Injectable()
@Handles(expiredArtifactsSchedule)
export class ExpiredArtifactsSweeper implements ScheduleHandler {
  constructor(
    private readonly artifacts: ArtifactsStore,
    private readonly blobs: ArtifactBlobs,
    private readonly clock: Clock,
  ) {}

  async run(stopping?: AbortSignal): Promise<void> {
    await inBatches((limit) => this.removeSome(limit), { ...BATCHES, stopping });
    await this.blobs.tidy();
  }

  private async removeSome(limit: number): Promise<number> {
    const expired = await this.artifacts.expired(this.clock.now(), limit);
    for (const { id } of expired) await this.blobs.delete(keyOfArtifact(id));
    await this.artifacts.remove(expired.map(({ id }) => id));
    return expired.length;
  }
}
