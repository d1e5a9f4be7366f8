import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { PackageLocksStore } from '../persistence/package-locks.store.js';
import { oldPackageLocksSchedule } from './old-package-locks.job.js';

const KEPT_MS = 90 * 86_400_000;

/** Deletes locks that nobody uses, also those of deleted organizations. */
@Injectable()
@Handles(oldPackageLocksSchedule)
export class OldPackageLocksSweeper implements ScheduleHandler {
  constructor(
    private readonly locks: PackageLocksStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await this.locks.deleteUnusedSince(new Date(this.clock.now().getTime() - KEPT_MS));
  }
}
