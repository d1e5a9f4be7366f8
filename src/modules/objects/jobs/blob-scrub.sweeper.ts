import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BlobMissing } from '../../../platform/blobs/blob-storage.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { batchesOf } from '../../../platform/database/in-batches.js';
import { Log } from '../../../platform/logging/log.js';
import { ScrubMetrics } from '../metrics/scrub.metrics.js';
import type { ObjectPart } from '../persistence/bucket-rows.js';
import { DoomedBlobsStore } from '../persistence/doomed-blobs.store.js';
import { type ScrubbedObject, ScrubStore } from '../persistence/scrub.store.js';
import { ObjectBlobs } from '../writes/object-blobs.js';
import { ObjectWrites } from '../writes/object-writes.js';
import { blobScrubSchedule } from './objects.job.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Each hour of a week has a slice of its own. */
const SLICES = 168;
const SHARDS = 256;
const BATCH = 200;

/** Compares what is recorded with the blobs that are there, a slice each hour, so that a week covers everything. */
@Injectable()
@Handles(blobScrubSchedule)
export class BlobScrubSweeper implements ScheduleHandler {
  constructor(
    private readonly scrub: ScrubStore,
    private readonly blobs: ObjectBlobs,
    private readonly doomed: DoomedBlobsStore,
    private readonly writes: ObjectWrites,
    private readonly metrics: ScrubMetrics,
    private readonly log: Log,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const slice = Math.floor(this.writes.times.now.getTime() / HOUR_MS) % SLICES;
    await this.scrubSlice({ slice, of: SLICES }, stopping);
  }

  /** Looks at one of so many slices. */
  async scrubSlice(part: { slice: number; of: number }, stopping: AbortSignal): Promise<void> {
    this.metrics.drifted(await this.scrub.drift(part));
    const objects = batchesOf<ScrubbedObject>((last, limit) => this.scrub.objects(part, last, limit), {
      size: BATCH,
      stopping,
    });
    for await (const batch of objects) for (const object of batch) await this.check(object);
    for (let shard = part.slice; shard < SHARDS && !stopping.aborted; shard += part.of)
      await this.doomUnnamed(`blobs/${shard.toString(16).padStart(2, '0')}/`);
  }

  private async check(object: ScrubbedObject): Promise<void> {
    for (const [blob, size, md5] of object.parts) {
      const fault = await this.faultOf([blob, size, md5]);
      // A blob of an object that was replaced meanwhile may be gone.
      if (fault === undefined || !(await this.scrub.isStill(object))) continue;
      this.metrics.found(fault);
      const { bucketId, revision } = object;
      this.log.error({ bucketId, revision, blob, fault }, 'The bytes of an object are not what was stored.');
    }
  }

  private async faultOf([blob, size, md5]: ObjectPart): Promise<'missing' | 'changed' | undefined> {
    const hash = createHash('md5');
    let count = 0;
    try {
      for await (const bytes of (await this.blobs.get(blob)) as AsyncIterable<Buffer>) {
        hash.update(bytes);
        count += bytes.length;
      }
    } catch (error) {
      if (error instanceof BlobMissing) return 'missing';
      throw error;
    }
    return count === size && hash.digest('hex') === md5 ? undefined : 'changed';
  }

  /** Writers name a blob before it exists. What nothing names after a day was left by a fault. */
  private async doomUnnamed(prefix: string): Promise<void> {
    const { now, dueAt } = this.writes.times;
    const old: string[] = [];
    for await (const { key, changedAt } of this.blobs.list(prefix))
      if (now.getTime() - changedAt.getTime() > DAY_MS) old.push(key);
    if (old.length === 0) return;
    const named = await this.scrub.named(old);
    const unnamed = old.filter((blob) => !named.has(blob));
    this.metrics.found('unnamed', unnamed.length);
    await this.doomed.add(unnamed, dueAt);
  }
}
