import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { expiredAccessKeysSchedule } from './access-keys.job.js';
import { AccessKeysStore } from './persistence/access-keys.store.js';

const KEPT_MS = 30 * 86_400_000;
const BATCH = 500;

/** Deletes keys that expired long ago. Until then they are listed, so that people find out why a program stopped. */
@Injectable()
@Handles(expiredAccessKeysSchedule)
export class ExpiredAccessKeysSweeper implements ScheduleHandler {
  constructor(
    private readonly keys: AccessKeysStore,
    private readonly clock: Clock,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    while (!stopping.aborted && (await this.keys.deleteExpiredBefore(before, BATCH)) === BATCH);
  }
}
