import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { ObjectsService } from '../objects/objects.service.js';
import type { Bucket } from '../persistence/bucket-rows.js';
import { BucketsStore } from '../persistence/buckets.store.js';
import { expiredObjectsSchedule } from './lifecycle.job.js';

const DAY_MS = 86_400_000;
const BUCKETS_AT_ONCE = 100;
/** A batch is one transaction, and locks the bucket as long as it lasts. */
const OBJECTS_AT_ONCE = 500;

/** Deletes objects when they have been there for as many days as their bucket keeps them, and not before. */
@Injectable()
@Handles(expiredObjectsSchedule)
export class ExpiredObjectsSweeper implements ScheduleHandler {
  constructor(
    private readonly buckets: BucketsStore,
    private readonly objects: ObjectsService,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    let after = '';
    for (;;) {
      const buckets = await this.buckets.expiring(after, BUCKETS_AT_ONCE);
      for (const bucket of buckets) await this.sweep(bucket, stopping);
      const last = buckets.at(-1);
      if (last === undefined || stopping.aborted) return;
      after = last.id;
    }
  }

  private async sweep(bucket: Bucket, stopping: AbortSignal): Promise<void> {
    const { expireAfterDays } = bucket;
    if (expireAfterDays === null) return;
    // An object of exactly that age has expired: one millisecond more makes the comparison include it.
    const before = new Date(this.clock.now().getTime() - expireAfterDays * DAY_MS + 1);
    let deleted = OBJECTS_AT_ONCE;
    while (deleted === OBJECTS_AT_ONCE && !stopping.aborted)
      deleted = (await this.objects.deleteOlderThan(bucket, before, OBJECTS_AT_ONCE)).length;
  }
}
